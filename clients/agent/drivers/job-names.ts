import type { Job } from "./driver.ts";

/**
 * The same jobs, in which no two have one name: the second one gets a number. A delta identifies jobs by their names, so
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
