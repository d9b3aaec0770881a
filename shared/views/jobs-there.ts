import { type Job, type PlanInput, type PlannedNode, shortHostname } from "../engine/index.ts";

const known = new WeakMap<PlanInput, ReadonlyMap<string, ReadonlySet<string>>>();

/**
 * Names of the jobs that are planned on a node and not running there: their scheduler has not started them yet. Which
 * jobs run is known from schedulers.
 */
export function plannedThere(
  input: PlanInput,
  { hostname, jobs }: Pick<PlannedNode, "hostname" | "jobs">,
): readonly string[] {
  if (jobs.length === 0) return [];
  const running = hostname === null ? undefined : runningByHost(input).get(shortHostname(hostname));
  return [...new Set(jobs.map(({ job }) => job))].filter((job) => running?.has(job) !== true);
}

function runningByHost(input: PlanInput): ReadonlyMap<string, ReadonlySet<string>> {
  const before = known.get(input);
  if (before !== undefined) return before;
  const hosts = new Map<string, Set<string>>();
  for (const job of input.jobs) for (const host of job.executingHostnames) note(hosts, host, job);
  known.set(input, hosts);
  return hosts;
}

function note(hosts: Map<string, Set<string>>, host: string, { name }: Job): void {
  const short = shortHostname(host);
  const names = hosts.get(short);
  if (names === undefined) hosts.set(short, new Set([name]));
  else names.add(name);
}
