import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expandHostlist } from "../../../clients/agent/drivers/slurm/hostlist.ts";
import type { Child } from "../../../infra/local/environment/child.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import type { LocalStack } from "../local-stack.ts";
import { startAgent, type Watched } from "./agent.ts";
import type { Slurm } from "./slurm.ts";

/** `ccscale agent --driver slurm` beside the controller. `others`: settings of the agent itself. */
export async function startSlurmAgent(
  slurm: Slurm,
  stack: LocalStack,
  {
    section = {},
    env = {},
    others = {},
    options = [],
  }: {
    readonly section?: object;
    readonly env?: Slurm["env"];
    readonly others?: object;
    readonly options?: readonly string[];
  } = {},
): Promise<Child> {
  const onHead = (program: string) => slurm.network.entering(slurm.network.headName, program, []);
  const programs = { squeue: onHead("squeue"), scontrol: onHead("scontrol"), sinfo: onHead("sinfo") };
  return startAgent(stack, "slurm", { ...programs, ...section }, { ...slurm.env, ...env }, others, options);
}

/** Different nodes of each job that runs, of all tasks of an array and all parts of a heterogeneous job. */
export async function usedBy(slurm: Slurm, ids: readonly number[]): Promise<readonly number[]> {
  const format = "--Format=ArrayJobID:20,HetJobID:20,NodeList:500";
  const lines = (await slurm.run("squeue", "--noheader", "--array", "--states=RUNNING", format)).split("\n");
  return ids.map((id) => {
    const own = lines.filter((line) =>
      [line.slice(0, 20), line.slice(20, 40)].some((each) => each.trim() === String(id)),
    );
    return new Set(own.flatMap((line) => expandHostlist(line.slice(40).trim()) ?? [])).size;
  });
}

/** For `whileItMoves`. */
export function watched(slurm: Slurm, stack: LocalStack): Watched {
  return { stack, whatThereIs: () => whatThereIs(slurm, stack) };
}

/** What Slurm, the agent, the service and CycleCloud say, for somebody who was not there. */
async function whatThereIs(slurm: Slurm, stack: LocalStack): Promise<string> {
  const sinfo = async () => {
    const lines = await slurm.run("sinfo", "--noheader", "--Node", "--format=%N %T %o %E");
    return lines
      .split("\n")
      .filter((line) => !line.includes("255.255.255.255"))
      .join("\n");
  };
  const nodes = async () =>
    (await stack.nodes())
      .map(({ Name, Status, Hostname, PrivateIp }) => `${Name} ${Status} ${Hostname} ${PrivateIp}`)
      .join("\n");
  const agentLog = async () => lastLines(await readFile(join(stack.folder, "agent.log"), "utf8"), 12);
  const controllerLog = async () => lastLines(await slurm.log(), 200);
  const shown = [
    ["squeue", () => slurm.run("squeue", "--noheader", "--format=%i %P %T %r %D %N")],
    ["sinfo, but those that are away", sinfo],
    ["nodes of CycleCloud", nodes],
    ["status", async () => JSON.stringify(await stack.readStatus())],
    ["end of agent.log", agentLog],
    ["end of slurmctld.log", controllerLog],
  ] as const;
  const parts = shown.map(async ([title, show]) => {
    const text = await show().catch((error: unknown) => `cannot be read: ${messageOf(error)}`);
    return `--- ${title}\n${text}`;
  });
  return (await Promise.all(parts)).join("\n");
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
