import { chunksOf } from "../../shared/collections/batches.ts";
import { cutName, mostJobs, mostNodes } from "../../shared/messages/index.ts";
import type { Job, SchedulerNode, SetAside } from "./drivers/driver.ts";
import { withUniqueNames } from "./drivers/job-names.ts";

/** What one message may hold, by number and as JSON. */
export interface Limits {
  readonly jobs: number;
  readonly nodes: number;
  readonly bytes: number;
}

/** As the service takes it: the numbers of the message schema, and an upload, with room for what is added to it. */
export const largestMessage: Limits = { jobs: mostJobs, nodes: mostNodes, bytes: 28 * 1024 * 1024 };

interface Lists {
  readonly jobs: readonly Job[];
  readonly nodes: readonly SchedulerNode[];
}

export interface Cut {
  readonly demand: Lists;
  readonly setAside: readonly SetAside[];
  /** Waiting jobs and nodes of which the message says nothing. */
  readonly leftOut: number;
}

/**
 * As much as a message holds, in the old order. Waiting jobs go first, those of the lowest priority and the last of the
 * queue before the others; then hosts that are up, which CycleCloud knows anyway. What runs never goes: where there is no
 * room for each running job, some become one that keeps their hosts.
 */
export function cutToFit(demand: Lists, limits: Limits): Cut {
  if (fits(demand, limits)) return { demand, setAside: [], leftOut: 0 };
  const room = new Room(limits.bytes);
  // Hosts get half of it at most: without the jobs that run there, they say little.
  const nodes = room.take(outFirst(demand.nodes), { most: limits.nodes, bytes: limits.bytes / 2 });
  const running = demand.jobs.filter(isRunning);
  const kept = keepRunning(running, room, limits.jobs);
  const places = limits.jobs - kept.whole.size - kept.merged.length;
  const waiting = demand.jobs.filter((job) => !isRunning(job));
  const taken = room.take(byPriority(waiting), { most: places });
  const jobs = demand.jobs.filter((job) => kept.whole.has(job) || taken.has(job));
  const counts = {
    waiting: waiting.length - taken.size,
    merged: running.length - kept.whole.size,
    nodes: demand.nodes.length - nodes.size,
  };
  return {
    demand: {
      jobs: withUniqueNames([...jobs, ...kept.merged]),
      nodes: demand.nodes.filter((node) => nodes.has(node)),
    },
    setAside: reportOf(counts, limits),
    leftOut: counts.waiting + counts.nodes,
  };
}

function fits({ jobs, nodes }: Lists, limits: Limits): boolean {
  if (jobs.length > limits.jobs || nodes.length > limits.nodes) return false;
  const room = new Room(limits.bytes);
  return [...nodes, ...jobs].every((item) => room.holds(item));
}

/** Each running job as it is while there is room for that and for a list of the hosts of all the others. */
function keepRunning(running: readonly Job[], room: Room, places: number) {
  const hosts = [...new Set(running.flatMap(({ executingHostnames = [] }) => executingHostnames))];
  const merged = jobsThatKeep("running jobs (no room for each)", hosts);
  const whole = room.copy();
  const isWhole = running.length <= places && running.every((job) => whole.holds(job));
  if (isWhole) {
    for (const job of running) room.holds(job);
    return { whole: new Set(running), merged: [] };
  }
  for (const job of merged) room.holds(job);
  return { whole: room.take(running, { most: places - merged.length }), merged };
}

function isRunning({ executingHostnames = [] }: Job): boolean {
  return executingHostnames.length > 0;
}

/** Their state decides whether they may go, and nobody else knows it. */
function outFirst(nodes: readonly SchedulerNode[]): readonly SchedulerNode[] {
  return [...nodes.filter(({ state }) => state !== "up"), ...nodes.filter(({ state }) => state === "up")];
}

function byPriority(jobs: readonly Job[]): readonly Job[] {
  return jobs.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
}

function reportOf(
  counts: { readonly waiting: number; readonly merged: number; readonly nodes: number },
  { jobs, nodes, bytes }: Limits,
): readonly SetAside[] {
  const most = `expected at most ${jobs} jobs and ${nodes} nodes in ${bytes} bytes`;
  const reports = [
    {
      count: counts.waiting,
      record: "waiting jobs",
      reason: `left out, the last of the lowest priority: ${most}`,
    },
    { count: counts.merged, record: "running jobs", reason: `posted as one that keeps their hosts: ${most}` },
    { count: counts.nodes, record: "nodes", reason: `left out: ${most}` },
  ];
  return reports.flatMap(({ count, record, reason }) =>
    count === 0 ? [] : [{ record: `${count} ${record}`, reason }],
  );
}

/** Of what a driver gave before, too: it may give the very same things again. */
const knownBytes = new WeakMap<object, number>();

function bytesOf(item: object): number {
  const known = knownBytes.get(item);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(item));
  knownBytes.set(item, bytes);
  return bytes;
}

/** Bytes that are left in a message. */
class Room {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  copy(): Room {
    return new Room(this.#bytes);
  }

  /** Takes the room that an item needs with its comma; false, and takes none, when it has no room. */
  holds(item: object): boolean {
    const bytes = bytesOf(item) + 1;
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }

  /** The first ones that there is room for. */
  take<T extends object>(
    items: readonly T[],
    { most, bytes = this.#bytes }: { readonly most: number; readonly bytes?: number },
  ): ReadonlySet<T> {
    const least = this.#bytes - bytes;
    const taken = new Set<T>();
    for (const item of items) {
      if (taken.size >= most || this.#bytes <= least || !this.holds(item)) break;
      taken.add(item);
    }
    return taken;
  }
}

const mostHostsPerJob = 10_000;
/** As a message takes them. */
const longestHostname = 255;

/** Jobs with no wish but for the hosts that they run on. What cannot be the name of a host keeps none. */
export function jobsThatKeep(name: string, hostnames: readonly string[]): readonly Job[] {
  const hosts = hostnames.filter((host) => host !== "" && host.length <= longestHostname);
  return chunksOf(hosts, mostHostsPerJob).map((executingHostnames) => ({
    name: cutName(name),
    constraints: {},
    iterations: executingHostnames.length,
    executingHostnames,
  }));
}
