import { expandHostlist } from "../../../clients/agent/drivers/slurm/hostlist.ts";
import type { Child } from "../../../infra/local/environment/child.ts";
import type { LocalStack } from "../local-stack.ts";
import { startAgent } from "./agent.ts";
import type { Slurm } from "./slurm.ts";

/** `ccscale agent --driver slurm` beside the controller. */
export async function startSlurmAgent(slurm: Slurm, stack: LocalStack): Promise<Child> {
  const onHead = (program: string) => slurm.network.entering(slurm.network.headName, program, []);
  const programs = { squeue: onHead("squeue"), scontrol: onHead("scontrol"), sinfo: onHead("sinfo") };
  return startAgent(stack, "slurm", programs, slurm.env);
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
