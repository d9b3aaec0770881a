import type { DemandSummary, SourceDemand } from "../ports.ts";

export function summaryOf({ jobs, nodes, ...rest }: SourceDemand): DemandSummary {
  return { ...rest, jobs: jobs.length, nodes: nodes.length };
}
