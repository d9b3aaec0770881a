import type { DemandSummary, SourceDemand } from "../ports/index.ts";

export function summaryOf({ jobs, nodes, ...rest }: SourceDemand): DemandSummary {
  return { ...rest, jobs: jobs.length, nodes: nodes.length };
}
