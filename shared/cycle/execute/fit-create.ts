import { roomForSets } from "../../engine/index.ts";
import type { ActionCreateSet, CreateNodesAction } from "../../messages/index.ts";
import type { Ports, Shortfall, Snapshot } from "../../ports/index.ts";
import { isAhead } from "../clocks.ts";
import { underWay } from "../operations.ts";
import { foreseeQuotas } from "../plan/foresee-quotas.ts";

/** The part of a create that is sent. */
export interface FittedCreate {
  /** By their place in the action; those that are left without nodes are not among them. */
  readonly sets: readonly { readonly place: number; readonly set: ActionCreateSet }[];
  /** What was cut: the newest snapshot says that it would be refused. */
  readonly cut: readonly Shortfall[];
}

/**
 * Cuts a create down to what the limits of the newest snapshot leave: an action waits for its turn, a plan may wait for
 * what it reads, and a quota may have been used up or lowered meanwhile. Other creates count that CycleCloud was asked
 * for; those behind this one find what it leaves. Without a snapshot younger than the plan's own there is nothing new to
 * apply.
 */
export async function fitCreate(
  ports: Pick<Ports, "clock" | "operations" | "snapshots">,
  action: CreateNodesAction,
): Promise<FittedCreate> {
  const { cluster, actionId, sets } = action;
  // Before the snapshot, for the reason that `load-world.ts` gives.
  const open = (await ports.operations.open(cluster)).map(({ value }) => value);
  const snapshot = (await ports.snapshots.load(cluster))?.value;
  const nowSeconds = ports.clock.nowSeconds();
  if (snapshot === undefined || !isNews(snapshot, action, nowSeconds)) return wholeOf(action);
  const asked = open.filter((each) => each.actionId !== actionId && each.asked === true);
  const { pending } = underWay(asked, snapshot.cluster);
  const foreseen = foreseeQuotas(snapshot.cluster, { refusals: [], pending, operations: [] });
  const rooms = roomForSets(foreseen, pending, sets);
  const cut = sets.flatMap(({ nodeArray, vmSize, count }, index): Shortfall[] => {
    const { count: added = count, binding = null } = rooms[index] ?? {};
    if (binding === null) return [];
    const message = `${count - added} not asked for: the ${binding.limit} limit of ${binding.scope} leaves no room`;
    return [{ nodeArray, vmSize, asked: count, added, message, atSeconds: nowSeconds, isForeseen: true }];
  });
  const fitted = sets.map((set, place) => ({ place, set: firstOf(set, rooms[place]?.count ?? set.count) }));
  return { sets: fitted.filter(({ set }) => set.count > 0), cut };
}

/** What somebody asked for himself was decided by what he saw when he asked. */
function isNews({ takenAtSeconds }: Snapshot, action: CreateNodesAction, nowSeconds: number): boolean {
  const { snapshotTakenAtSeconds: seenAtSeconds = action.createdAtSeconds } = action;
  return takenAtSeconds > seenAtSeconds && !isAhead(takenAtSeconds, nowSeconds);
}

export function wholeOf({ sets }: CreateNodesAction): FittedCreate {
  return { sets: sets.map((set, place) => ({ place, set })), cut: [] };
}

function firstOf(set: ActionCreateSet, count: number): ActionCreateSet {
  return count === set.count ? set : { ...set, count, names: set.names.slice(0, count) };
}
