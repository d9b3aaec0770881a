import type { Job } from "./driver.ts";

/** What a demand message takes no name with (`shared/messages/job-demand.ts`). */
const notInJobNames = /[^\p{L}\p{N} ._:@#%+=~,*$&!()[\]{}^-]/gu;
/** A message takes 256 characters; the rest is for what tells two jobs apart. */
const longestName = 200;

/** A text of any length and content as the name of a job. */
export function toJobName(text: string): string {
  const name = text.slice(0, longestName + 1).replaceAll(notInJobNames, "_");
  return name.length <= longestName ? name : `${name.slice(0, longestName)}~`;
}

/**
 * The same jobs, in which no two have one name: the second one gets a number. A delta tells jobs apart by their names, so
 * of two with one name the first, and the nodes on which it runs, would be forgotten.
 */
export function withUniqueNames(jobs: readonly Job[]): readonly Job[] {
  const taken = new Set(jobs.map(({ name }) => name));
  if (taken.size === jobs.length) return jobs;
  const given = new Set<string>();
  const next = new Map<string, number>();
  return jobs.map((job) => {
    let name = job.name;
    for (let number = next.get(job.name) ?? 2; given.has(name); number++) {
      const candidate = `${job.name} (${number})`;
      if (!taken.has(candidate)) name = candidate;
      next.set(job.name, number + 1);
    }
    given.add(name);
    return name === job.name ? job : { ...job, name };
  });
}
