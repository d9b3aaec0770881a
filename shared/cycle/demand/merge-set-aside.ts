import type { DemandMessage } from "../../messages/job-demand.ts";
import type { SetAside } from "../../messages/set-aside.ts";
import type { DemandSetAside } from "../../ports/index.ts";

/** Of those that protect no node. */
const mostKept = 100;
const nothing: DemandSetAside = { items: [], more: 0 };

type Delta = Extract<DemandMessage, { kind: "delta" }>;

/** Undefined: there is nothing. What protects nodes is kept whole, of the rest the first hundred. */
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
 * What is still set aside after a delta: jobs and nodes that it does not mention, and its own. One that it mentions, and
 * that cannot be read again, keeps the hosts of both: nobody can tell which of them it has left.
 */
export function asideAfter(
  before: DemandSetAside = nothing,
  delta: Delta,
  setAside: readonly SetAside[],
): DemandSetAside | undefined {
  const gone = new Set([...delta.remove, ...delta.jobs.map(({ name }) => name)]);
  const listed = new Set(delta.nodes.map(({ hostname }) => hostname));
  const replaced = new Map(setAside.map((item) => [keyOf(item), item]));
  const earlier = new Map<string | null, SetAside>();
  const items = before.items.filter((item) => {
    const { kind, name } = item;
    if (name === null) return true;
    if (kind === "job" && gone.has(name)) return false;
    if (kind === "node" && listed.has(name)) return false;
    if (!replaced.has(keyOf(item))) return true;
    earlier.set(keyOf(item), item);
    return false;
  });
  const merged = setAside.map((item) => withHostsOf(item, earlier.get(keyOf(item))));
  return keptAside(merged, { items, more: before.more });
}

/** Null for what cannot be told from others. */
function keyOf({ kind, name }: SetAside): string | null {
  return name === null ? null : JSON.stringify([kind, name]);
}

function withHostsOf(item: SetAside, earlier: SetAside | undefined): SetAside {
  if (earlier?.running === undefined) return item;
  const { running = earlier.running } = item;
  return {
    ...item,
    running: {
      ...running,
      hostnames: [...new Set([...earlier.running.hostnames, ...running.hostnames])],
      isWhole: running.isWhole && earlier.running.isWhole,
    },
  };
}
