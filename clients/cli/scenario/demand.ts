import {
  type DemandJob,
  type DemandNode,
  demandVersion,
  parseDemand,
  wholly,
} from "../../../shared/messages/job-demand.ts";

/**
 * Jobs and scheduler nodes exactly as a demand message may spell them: a scenario is read as a message that was
 * received just now. Throws one sentence with every problem.
 */
export function readDemand(
  jobs: unknown,
  schedulerNodes: unknown,
): { readonly jobs: readonly DemandJob[]; readonly nodes: readonly DemandNode[] } {
  const parsed = wholly(
    parseDemand({
      version: demandVersion,
      kind: "snapshot",
      cluster: "scenario",
      source: "scenario",
      sequence: 0,
      sentAt: "1970-01-01T00:00:00Z",
      jobs,
      nodes: schedulerNodes,
    }),
  );
  if (parsed.ok) return parsed.message;
  const problems = parsed.problems.map((problem) => problem.replace(/^nodes\b/, "schedulerNodes"));
  throw new TypeError(`Cannot read the demand: ${problems.join("; ")}`);
}
