/**
 * Does a real slurmctld use what is bought for it? Draws submissions, gives the controller the nodes that the engine would make for
 * them, and lists those of which it leaves a node idle, or that start only with more nodes. By hand, because each is to be judged: the
 * engine packs jobs otherwise than Slurm, and a node array has six nodes here. What is wrong becomes a row of `slurm-job-kinds.ts`.
 * Run it with `npm run drawn-jobs -- [--select CR_Core_Memory] [--type cons_tres] [--seed 1] [--count 100]`.
 */
import { parseArgs } from "node:util";
import { DrivenSlurm } from "../clients/agent/drivers/driven-slurm.ts";
import {
  boughtFor,
  nodesOfKinds,
  partitionsOf,
  sbatchArgs,
  usedBy,
} from "../clients/agent/drivers/slurm-job-kinds.ts";
import { whileItMoves } from "../support/machines/agent.ts";
import { startSlurm } from "../support/machines/slurm.ts";
import { drawKinds } from "./draw-kinds.ts";

/** The scheduler runs every second: after so many it starts no other job. */
const readsAlike = 10;

const { values } = parseArgs({
  options: {
    select: { type: "string", default: "CR_Core_Memory" },
    type: { type: "string", default: "cons_tres" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
  },
});
const kinds = drawKinds(Number(values.seed), Number(values.count));
const { conf, gres, toCome } = nodesOfKinds(kinds, "cons_tres");
const controller = await startSlurm({
  conf: conf
    .replace(/^SelectType=.*/m, `SelectType=select/${values.type}`)
    .replace(/^SelectTypeParameters=.*/m, `SelectTypeParameters=${values.select}`)
    // Jobs of a partition share two licences of its name.
    .replace(
      "ansys:2",
      kinds
        .flatMap(partitionsOf)
        .map(({ name }) => `${name}:2`)
        .join(","),
    ),
  gres,
});
try {
  await controller.run("scontrol", "update", `NodeName=${toCome}`, "State=DOWN", "Reason=cyclecloud");
  const ids: number[][] = [];
  for (const [index, kind] of kinds.entries()) ids.push(await submitted(sbatchArgs(kind, index)));
  const bought = boughtFor(kinds, await new DrivenSlurm(controller, {}).read());
  await resume(bought.flat().join(","));
  const [used, waiting] = await settled(ids);
  await resume(toCome);
  const [, stillWaiting] = await settled(ids);
  const different = kinds.flatMap(({ on, options }, index) => {
    const [had, has, waits] = [bought[index]?.length ?? 0, used[index] ?? 0, waiting[index] ?? 0];
    return has < had || waits > (stillWaiting[index] ?? 0)
      ? [`${on.join("+")}  ${options}: bought ${had}, used ${has}, ${waits} wait`]
      : [];
  });
  const taken = ids.filter((own) => own.length > 0).length;
  console.log(`${kinds.length} drawn, ${taken} taken by sbatch, ${different.length} differ`);
  for (const line of different) console.log(line);
} finally {
  await controller.stop();
}

/** Those that sbatch does not refuse. */
async function submitted(all: readonly (readonly string[])[]): Promise<number[]> {
  const ids: number[] = [];
  for (const options of all) {
    try {
      ids.push(...(await controller.submitAll([options], 3600)));
    } catch {
      // Many that are drawn make no sense.
    }
  }
  return ids;
}

/** Those that are there and may be in use are left alone. */
async function resume(nodes: string): Promise<void> {
  const down = await controller.run(
    "sinfo",
    "--noheader",
    "--Node",
    "--states=down",
    "--format=%N",
    `--nodes=${nodes}`,
  );
  const names = [...new Set(down.split("\n").filter((name) => name !== ""))];
  if (names.length > 0)
    await controller.run("scontrol", "update", `NodeName=${names.join(",")}`, "State=RESUME");
}

/** Nodes that each uses, and how many of its jobs wait. */
async function settled(ids: readonly (readonly number[])[]) {
  let before = "";
  let same = 0;
  await whileItMoves(
    () => usedBy(controller, ids),
    (counts) => {
      same = counts.join(" ") === before ? same + 1 : 0;
      before = counts.join(" ");
      return same >= readsAlike;
    },
  );
  const format = "--Format=ArrayJobID:20,HetJobID:20";
  const rows = (await controller.run("squeue", "--noheader", "--array", "--states=PENDING", format))
    .split("\n")
    .map((line) => [Number(line.slice(0, 20)), Number(line.slice(20)) || 0] as const);
  const waiting = ids.map(
    (own) => rows.filter(([array, het]) => own.includes(array) || own.includes(het)).length,
  );
  return [await usedBy(controller, ids), waiting] as const;
}
