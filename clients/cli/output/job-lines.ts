import {
  type BucketName,
  formatSize,
  isSize,
  type JobOutcome,
  type Reason,
  type Scalar,
} from "../../../shared/engine/index.ts";

/** What became of a job: one line, and one more for every different reason why it did not get all. */
export function jobLines(outcome: JobOutcome): readonly string[] {
  const alike = Map.groupBy(outcome.reasons, reasonText);
  const reasons = [...alike].map(([text, of]) => `  ${text}, ${whereText(of)}`);
  return [`${outcome.name}: ${fate(outcome)}`, ...reasons];
}

function fate({ asked, granted, placements }: JobOutcome): string {
  if (granted === 0) return "waits";
  const nodes = [...new Set(placements.map(({ node }) => node))].join(", ");
  return granted < asked ? `got ${granted} of ${asked}, on ${nodes}` : `placed, on ${nodes}`;
}

function reasonText({ code, limit, asked, left }: Reason): string {
  const by = limit === null ? "" : ` (${limit} limit)`;
  return `${code}${by}: asked ${shown(asked)}, left ${shown(left)}`;
}

function whereText(reasons: readonly Reason[]): string {
  const buckets = reasons.flatMap(({ bucket }) => (bucket === null ? [] : [bucketText(bucket)]));
  return buckets.length === 0 ? "in the whole cluster" : `in ${buckets.join(", ")}`;
}

function bucketText({ nodeArray, vmSize, placementGroup }: BucketName): string {
  return [nodeArray, vmSize, ...(placementGroup === null ? [] : [placementGroup])].join("/");
}

function shown(value: Scalar): string {
  if (value === null) return "none";
  return isSize(value) ? formatSize(value) : String(value);
}
