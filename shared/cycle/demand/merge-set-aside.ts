import type { DemandJob, DemandMessage, SetAside, SetAsideRun } from "../../messages/index.ts";
import type { DemandSetAside } from "../../ports/index.ts";

/** Limit for items that protect no node. */
const mostKept = 100;
const nothing: DemandSetAside = { items: [], more: 0 };

type Delta = Extract<DemandMessage, { kind: "delta" }>;

/** Undefined: nothing is set aside. Items that protect nodes are all kept; of the rest, the first hundred. */
export function keptAside(
  setAside: readonly SetAside[],
  before: DemandSetAside = nothing,
): DemandSetAside | undefined {
  const all = [...before.items, ...setAside];
  let kept = 0;
  const items = all.filter((item) => {
    if (protects(item)) return true;
    kept += 1;
    return kept <= mostKept;
  });
  const more = before.more + all.length - items.length;
  return all.length + more === 0 ? undefined : { items, more };
}

function protects({ kind, name, running }: SetAside): boolean {
  return running !== undefined || (kind === "node" && name !== null);
}

/**
 * Known jobs whose newest message cannot be read. What they want now is not known, so they want nothing. They keep the
 * hosts of both messages, because either may be current.
 */
export function withoutUnread(
  jobs: readonly DemandJob[],
  setAside: readonly SetAside[],
): { readonly jobs: readonly DemandJob[]; readonly setAside: readonly SetAside[] } {
  const unread = new Set(setAside.filter(({ kind }) => kind === "job").map(({ name }) => name));
  if (unread.size === 0) return { jobs, setAside };
  const unreadJobs = new Map<string | null, DemandJob>(
    jobs.filter(({ name }) => unread.has(name)).map((job) => [job.name, job]),
  );
  return {
    jobs: jobs.filter(({ name }) => !unread.has(name)),
    setAside: setAside.map((item) => {
      const job = item.kind === "job" ? unreadJobs.get(item.name) : undefined;
      if (job === undefined || job.executingHostnames.length === 0) return item;
      const { constraints, executingHostnames: hostnames } = job;
      return withHostsOf(item, { constraints, hostnames, isWhole: true });
    }),
  };
}

/**
 * Items still set aside after a delta: jobs and nodes it does not mention, and its own. An item that the delta mentions
 * and that cannot be read again keeps the hosts of both messages, because either may be current.
 */
export function asideAfter(
  before: DemandSetAside = nothing,
  delta: Delta,
  setAside: readonly SetAside[],
): DemandSetAside | undefined {
  const gone = new Set([...delta.remove, ...delta.jobs.map(({ name }) => name)]);
  const listed = new Set(delta.nodes.map(({ hostname }) => hostname));
  const replaced = new Map(setAside.map((item) => [itemKey(item), item]));
  const earlier = new Map<string, SetAside>();
  const items = before.items.filter((item) => {
    const { kind, name } = item;
    if (name === null) return true;
    if (kind === "job" && gone.has(name)) return false;
    if (kind === "node" && listed.has(name)) return false;
    if (!replaced.has(itemKey(item))) return true;
    earlier.set(itemKey(item), item);
    return false;
  });
  const merged = setAside.map((item) => withHostsOf(item, earlier.get(itemKey(item))?.running));
  return keptAside(merged, { items, more: before.more });
}

function itemKey({ kind, name }: SetAside): string {
  return JSON.stringify([kind, name]);
}

function withHostsOf(item: SetAside, earlier: SetAsideRun | undefined): SetAside {
  if (earlier === undefined) return item;
  const { running } = item;
  const before = new Set(earlier.hostnames);
  const added = running?.hostnames.filter((hostname) => !before.has(hostname)) ?? [];
  return {
    ...item,
    running: {
      ...earlier,
      ...running,
      hostnames: [...earlier.hostnames, ...added],
      isWhole: (running?.isWhole ?? true) && earlier.isWhole,
    },
  };
}
