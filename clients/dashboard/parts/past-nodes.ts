import type { LivesAnswer, NodeLife } from "../../../shared/api/index.ts";
import type { MapBucket, MapNode } from "./map-node.ts";

type Life = LivesAnswer["lives"][number];

const uses = { boot: "boot", used: "jobs", idle: "idle", unknown: "unknown" } as const;
const words = { boot: "booting", used: "used", idle: "idle", unknown: "state not known any more" } as const;

/** The nodes of each moment of a day. Each keeps its place in its group, and one that is gone leaves it to a later one. */
export function pastNodes(
  lives: readonly Life[],
  known: {
    readonly buckets: readonly MapBucket[];
    /** Placement groups of nodes that are there still: those of others are not remembered. */
    readonly groupsById: ReadonlyMap<string | null, string | null>;
  },
): (atSeconds: number) => readonly MapNode[] {
  const sizes = new Map(known.buckets.map((bucket) => [`${bucket.nodeArray}\n${bucket.vmSize}`, bucket]));
  const free = new Map<string, { readonly slot: number; readonly fromSeconds: number }[]>();
  const used = new Map<string, number>();
  const seats = lives
    .toSorted((a, b) => a.firstSeenSeconds - b.firstSeenSeconds)
    .map((life) => {
      const bucket = sizes.get(`${life.nodeArray}\n${life.vmSize}`);
      const placementGroup = known.groupsById.get(life.nodeId) ?? null;
      const group = `${life.nodeArray}\n${life.vmSize}\n${placementGroup}`;
      const left = free.get(group) ?? [];
      free.set(group, left);
      const at = left.findIndex(({ fromSeconds }) => fromSeconds <= life.firstSeenSeconds);
      const slot = left[at]?.slot ?? used.get(group) ?? 0;
      if (at >= 0) left.splice(at, 1);
      else used.set(group, slot + 1);
      if (life.deletedSeconds !== null) left.push({ slot, fromSeconds: life.deletedSeconds });
      const { spot = false, location = null, vm } = bucket ?? {};
      return { life, slot, placementGroup, spot, location, vcpuCount: vm?.vcpuCount ?? null };
    });
  return (atSeconds) =>
    seats.flatMap(({ life, ...seat }) => {
      const span = spanAt(life, atSeconds);
      if (span === undefined) return [];
      const { name, nodeArray, vmSize, failure, usdPerHour } = life;
      const isFailed = span.use === "boot" && failure !== null && failure.atSeconds <= atSeconds;
      const state = isFailed ? "failed" : words[span.use];
      return [
        {
          ...seat,
          name,
          nodeArray,
          vmSize,
          use: isFailed ? "failed" : uses[span.use],
          state,
          jobs: [],
          since: { what: state, atSeconds: isFailed ? failure.atSeconds : span.fromSeconds },
          busy: null,
          usdPerHour,
        } as const,
      ];
    });
}

function spanAt(
  { spans, deletedSeconds }: NodeLife,
  atSeconds: number,
): NodeLife["spans"][number] | undefined {
  if (deletedSeconds !== null && deletedSeconds <= atSeconds) return undefined;
  // The last one goes on until the answer was made, which may be a moment ago.
  return spans.findLast(({ fromSeconds }) => fromSeconds <= atSeconds);
}
