import type { TraceJobs } from "../trace-job.ts";

/**
 * Whether no two jobs have the same name. A set of a million names is larger than all the rest of such a workload, so their
 * hashes are compared, and names themselves only where two hashes are the same.
 */
export function hasOwnNames(jobs: TraceJobs): boolean {
  const hashes = new Float64Array(jobs.length);
  let place = 0;
  for (const { name } of jobs) hashes[place++] = hashOf(name);
  const sorted = hashes.toSorted();
  const same = new Set(sorted.filter((hash, index) => index > 0 && hash === sorted[index - 1]));
  if (same.size === 0) return true;
  const names = new Set<string>();
  let alike = 0;
  for (const { name } of jobs)
    if (same.has(hashOf(name))) {
      alike += 1;
      names.add(name);
    }
  return names.size === alike;
}

/** Two FNV-1a hashes of 26 bits each, as one number that is exact. */
function hashOf(text: string): number {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return (first >>> 6) * 2 ** 26 + (second >>> 6);
}
