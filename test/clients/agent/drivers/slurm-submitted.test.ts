import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answers } from "../../../../clients/agent/drivers/driver.ts";
import { mebibytesIn, minutesIn } from "../../../../clients/agent/drivers/slurm/amounts.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { submitting } from "../../../../clients/cli/slurm/jobs-of-sbatch.ts";
import { readSbatch } from "../../../../clients/cli/slurm/sbatch-options.ts";
import {
  boughtFrom,
  type JobKind,
  kindsBySelection,
  nodesPerPartition,
  partitionsOf,
  sbatchArgs,
  selections,
} from "./slurm-job-kinds.ts";

/** What a controller printed of its nodes and partitions, without any job. */
function answersOf(select: string): Answers {
  const folder = join(import.meta.dirname, "fixtures/slurm-kinds", select);
  const answers = Object.fromEntries(
    readdirSync(folder).map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return [file.replace(".txt", ""), { text, exitCode: 0 }];
    }),
  );
  const config = `${answers.config?.text ?? ""}DefMemPerCPU            = 3500\n`;
  return { ...answers, config: { text: config, exitCode: 0 } };
}

/**
 * Of all that it printed, the job's own partitions with their nodes, by the number of the job in their names: to read all the others
 * as well takes a hundred times as long.
 */
function byJob({ sinfo, specs, partitions, ...others }: Answers): (index: number) => Answers {
  const { nodes } = JSON.parse(sinfo?.text ?? "") as { readonly nodes: readonly { readonly name: string }[] };
  const numberIn = (text: string) => Number(/\bk(\d+)[ab]/.exec(text)?.[1]);
  const linesOf = (printed = "") => Map.groupBy(printed.split(/(?<=\n)/), numberIn);
  const [nodesBy, specsBy, partitionsBy] = [
    Map.groupBy(nodes, ({ name }) => numberIn(name)),
    linesOf(specs?.text),
    linesOf(partitions?.text),
  ];
  const answer = (text: string) => ({ text, exitCode: 0 });
  return (index) => ({
    ...others,
    sinfo: answer(JSON.stringify({ nodes: nodesBy.get(index) })),
    specs: answer(specsBy.get(index)?.join("") ?? ""),
    partitions: answer(partitionsBy.get(index)?.join("") ?? ""),
  });
}

function boughtBefore(kinds: readonly JobKind[], index: number, answers: Answers): number | string {
  const kind = kinds[index];
  if (kind === undefined) throw new RangeError(`No kind ${index}`);
  const read = readSbatch(sbatchArgs(kind, index).flat());
  if (!read.ok) return read.problem;
  const configured = slurm.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const context = { nowSeconds: 1_800_000_000, draining: new Map(), memory: {} };
  const driver = submitting(configured.driver, read.options, "ann");
  const reading = driver.interpret(answers, context);
  if (!reading.known) throw new Error(reading.reason);
  const arrays = partitionsOf(kind, index).flatMap((partition) => partition.arrays);
  return boughtFrom(arrays, reading, nodesPerPartition).length;
}

/** When they start is not for a plan to say, there is more than one, or nobody asks for it before a job is submitted. */
const refused =
  /--begin|--hold|--dependency| : |--core-spec|-S|--deadline|--time-min|--thread-spec|--cores-per-socket|--gres-flags/;
/** What the recording does not have of partitions, what only root may, and several jobs. */
const isLeftAway = ({ on, options }: JobKind) =>
  /Def(Cpu|Mem)Per|MaxMemPerCPU|RootOnly/.test(on.join()) || options.includes(" ; ");
/** A job before it takes the licences; here it is alone. */
const alone: Readonly<Record<string, number>> = { "-L ansys:2 -N 3": 3 };

describe.each(selections)("what sbatch is asked for takes the nodes that Slurm used (%s)", (select) => {
  const kinds = kindsBySelection[select];
  const answersFor = byJob(answersOf(select));
  // What no node would start waits with Slurm's reason, which a job has only once it was submitted.
  const rows = kinds
    .map((kind, index) => [`${kind.on.join(" or ")} ${kind.options}`, index, kind] as const)
    .filter(([, , kind]) => kind.nodes > 0 && !isLeftAway(kind));

  test.each(rows)("%s", (_, index, { options, nodes }) => {
    const bought = boughtBefore(kinds, index, answersFor(index));
    if (refused.test(options)) expect(bought).toMatch(refused);
    else expect(bought).toBe(alone[options] ?? nodes);
  });
});

test.each([
  ["90", 90],
  ["90:30", 91],
  ["1:30:00", 90],
  ["1-12", 2_160],
  ["1-12:30", 2_190],
  ["1-12:30:30", 2_191],
  ["UNLIMITED", undefined],
  ["", undefined],
])("minutes of %s", (text, minutes) => {
  expect(minutesIn(text)).toBe(minutes);
});

test.each([
  ["3000", 3_000],
  ["1025K", 2],
  ["3m", 3],
  ["2GB", 2_048],
  ["1T", 1_048_576],
  ["4Q", undefined],
])("MiB of %s", (text, mebibytes) => {
  expect(mebibytesIn(text)).toBe(mebibytes);
});
