import { explain, type JobOutcome } from "../../../shared/engine/index.ts";

/** What became of a job: one line, and one sentence for every different reason why it did not get all. */
export function jobLines(outcome: JobOutcome): readonly string[] {
  const [, ...reasons] = explain(outcome);
  return [`${outcome.name}: ${fate(outcome)}`, ...reasons.map((sentence) => `  ${sentence}`)];
}

function fate({ asked, granted, placements }: JobOutcome): string {
  if (granted === 0) return "waits";
  const nodes = [...new Set(placements.map(({ node }) => node))].join(", ");
  return granted < asked ? `got ${granted} of ${asked}, on ${nodes}` : `placed, on ${nodes}`;
}
