import { type DemandMessage, mostJobs, mostNodes, type SetAside } from "../../messages/index.ts";
import type {
  DemandPart,
  DemandStore,
  MessageIdentity,
  SourceDemand,
  WaitingPart,
} from "../../ports/index.ts";
import { isOld } from "./merge-demand.ts";

/** A snapshot has at most 1,000 parts. */
const mostWaitingParts = 2_000;

export type DeltaMessage = Extract<DemandMessage, { kind: "delta" }>;

export type Assembled =
  | { readonly outcome: "whole"; readonly message: DemandMessage; readonly setAside: readonly SetAside[] }
  /** The parts are valid, but together they exceed the limits of a message. */
  | { readonly outcome: "rejected"; readonly problems: readonly string[] }
  | { readonly outcome: "waiting-for-parts"; readonly have: number; readonly want: number };

/**
 * A snapshot in parts takes effect when its last part has arrived, in any order. The others are read only then; until
 * then it is enough to know which parts exist.
 */
export async function assemble(
  demand: DemandStore,
  { message, setAside }: { readonly message: DemandMessage; readonly setAside: readonly SetAside[] },
  nowSeconds: number,
): Promise<Assembled> {
  if (message.kind !== "snapshot" || message.part === undefined || message.part.count === 1) {
    return { outcome: "whole", message, setAside };
  }
  const current = await demand.load(message.cluster, message.source);
  // A part of an older snapshot completes nothing: it is ignored like any old message.
  if (current !== undefined && isOld(current.value, message, nowSeconds))
    return { outcome: "whole", message, setAside };
  const { part, jobs, nodes } = message;
  await demand.savePart(message, { index: part.index, jobs, nodes, setAside });
  const waiting = await bounded(demand, message);
  const have = waiting.filter(({ sequence }) => sequence === message.sequence).length;
  if (have < part.count) return { outcome: "waiting-for-parts", have, want: part.count };
  // A part beyond the count is left over from an earlier attempt of the sender that was split differently.
  const parts = (await demand.loadParts(message)).filter((each) => each.index < part.count);
  // There were such parts, another run applied and removed them meanwhile, or a store has lost one.
  if (parts.length < part.count)
    return { outcome: "waiting-for-parts", have: parts.length, want: part.count };
  const whole = { jobs: parts.flatMap((each) => each.jobs), nodes: parts.flatMap((each) => each.nodes) };
  const aside = parts.flatMap((each) => each.setAside ?? []);
  const problems = tooMuch(whole, aside);
  if (problems.length > 0) return { outcome: "rejected", problems };
  return { outcome: "whole", message: { ...message, ...whole }, setAside: aside };
}

/**
 * The waiting parts of a source. When there are more than any sender makes, those of older messages are removed: a
 * later snapshot replaces them, and a source that never completes a snapshot must not fill the store.
 */
async function bounded(demand: DemandStore, message: MessageIdentity): Promise<readonly WaitingPart[]> {
  const { cluster, source, sequence } = message;
  const waiting = await demand.waitingParts({ cluster, source });
  if (waiting.length <= mostWaitingParts) return waiting;
  const newest = waiting.reduce((most, each) => Math.max(most, each.sequence), sequence);
  await demand.dropParts({ cluster, source, sequence: newest - 1 });
  return waiting;
}

/** The limits of a message hold for all parts together. */
function tooMuch(
  { jobs, nodes }: Pick<DemandPart, "jobs" | "nodes">,
  setAside: readonly SetAside[],
): readonly string[] {
  const countOf = (kind: SetAside["kind"]) => setAside.filter((item) => item.kind === kind).length;
  const counts = [
    { list: "jobs", count: jobs.length + countOf("job"), most: mostJobs },
    { list: "nodes", count: nodes.length + countOf("node"), most: mostNodes },
  ];
  return counts.flatMap(({ list, count, most }) =>
    count > most ? [`${list}: ${count} in all parts, expected at most ${most}`] : [],
  );
}

/** Keeps a delta that arrived before its predecessor: queues do not keep order, and a burst arrives all at once. */
export async function parkDelta(
  demand: DemandStore,
  delta: DeltaMessage,
  setAside: readonly SetAside[],
): Promise<void> {
  const { jobs, nodes, nodeShapes, remove, capabilities, notices } = delta;
  await demand.savePart(delta, {
    index: 0,
    jobs,
    nodes,
    nodeShapes,
    remove,
    capabilities,
    notices,
    setAside,
  });
  await bounded(demand, delta);
}

/**
 * Forgets what waited until a message took effect. Whatever took effect before it forgot its own, so behind a direct
 * predecessor only the message itself can have been parked, by a run that died.
 */
export async function forgetWaiting(
  demand: DemandStore,
  message: DemandMessage,
  { before, now }: { readonly before: SourceDemand | undefined; readonly now: SourceDemand },
): Promise<void> {
  const isWhole = message.kind === "delta" || message.part === undefined || message.part.count === 1;
  const isDirect = before?.sequence === message.sequence - 1 && now.sequence === message.sequence;
  if (isWhole && isDirect) await demand.dropFirstPart(message);
  else await demand.dropParts(now);
}

/** The parked delta that follows directly on a source's present demand. */
export async function parkedAfter(
  demand: DemandStore,
  { cluster, source, sequence }: SourceDemand,
): Promise<(DemandPart & { readonly remove: readonly string[] }) | undefined> {
  const part = await demand.loadFirstPart({ cluster, source, sequence: sequence + 1 });
  // One without is of a snapshot.
  return part?.remove === undefined ? undefined : { ...part, remove: part.remove };
}
