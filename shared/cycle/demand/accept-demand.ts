import { untilWritten } from "../../errors/errors.ts";
import { type DemandMessage, describeSetAside, type SetAside } from "../../messages/index.ts";
import type { DemandSetAside, Ports, SourceDemand, Stored } from "../../ports/index.ts";
import { requestPlan } from "../request-plan.ts";
import { configuredTtlSeconds, keepsPastOf, unknownCluster } from "./configured.ts";
import { assemble, forgetWaiting, parkDelta, parkedAfter } from "./demand-parts.ts";
import { type Merge, mergeDemand } from "./merge-demand.ts";
import { noRoomForSource } from "./room-for-source.ts";

export type AcceptOutcome =
  | {
      readonly outcome: "accepted";
      readonly jobs: number;
      readonly nodes: number;
      /** Absent: every item could be read. `news`: items that the source's last message had not set aside. */
      readonly setAside?: { readonly items: number; readonly news: readonly SetAside[] };
    }
  /** An older or repeated message. */
  | { readonly outcome: "ignored" }
  | { readonly outcome: "waiting-for-parts"; readonly have: number; readonly want: number }
  /** A delta that came before its predecessor: kept until that one comes, or a snapshot replaces it. */
  | { readonly outcome: "parked"; readonly reason: string }
  | { readonly outcome: "rejected"; readonly problems: readonly string[] };

type DemandPorts = Pick<Ports, "clock" | "configs" | "demand" | "log" | "planRequests" | "schedulerEvents">;

/**
 * Accepts one checked demand message: merges it into its source's demand and asks for a plan. Throws ConflictError when
 * other messages of the same source were faster in every round; the queue then delivers it again.
 */
export async function acceptDemand(
  ports: DemandPorts,
  message: DemandMessage,
  setAside: readonly SetAside[] = [],
): Promise<AcceptOutcome> {
  const outcome = await accept(ports, { message, setAside });
  ports.log.info("demand", {
    cluster: message.cluster,
    source: message.source,
    sequence: message.sequence,
    kind: message.kind,
    outcome: outcome.outcome,
    jobs: message.jobs.length,
    ...(setAside.length === 0 ? {} : { setAside: setAside.length }),
  });
  return outcome;
}

/** A checked message, and its items that could not be read. */
interface CheckedMessage {
  readonly message: DemandMessage;
  readonly setAside: readonly SetAside[];
}

async function accept(ports: DemandPorts, checked: CheckedMessage): Promise<AcceptOutcome> {
  const { message } = checked;
  const { cluster, source } = message;
  const ttlSeconds = message.ttlSeconds ?? (await configuredTtlSeconds(ports, cluster));
  if (ttlSeconds === undefined)
    return { outcome: "rejected", problems: [await unknownCluster(ports, cluster)] };
  const stored = await ports.demand.load(cluster, source);
  const noRoom = stored === undefined ? await noRoomForSource(ports, message) : undefined;
  if (noRoom !== undefined) return { outcome: "rejected", problems: [noRoom] };
  const assembled = await assemble(ports.demand, checked, ports.clock.nowSeconds());
  if (assembled.outcome !== "whole") return assembled;

  const merged = await saveOrPark(ports, { ...assembled, stored }, ttlSeconds);
  if (merged.outcome === "early") return { outcome: "parked", reason: earlyReason(message, merged.have) };
  const reason = `demand from ${source}`;
  if (merged.outcome === "ignored") {
    // The run that saved this message may have died before it forgot parts and asked for the plan.
    if (merged.demand.sequence === message.sequence) {
      await ports.demand.dropParts(message);
      await requestPlan(ports, { cluster, reason, onlyDemand: true });
    }
    return { outcome: "ignored" };
  }
  const demand = await saveParked(ports, merged.demand, message);
  await forgetWaiting(ports.demand, assembled.message, { before: merged.before, now: demand });
  await requestPlan(ports, { cluster, reason, onlyDemand: true });
  const { jobs, nodes, setAside } = demand;
  const news = setAside === undefined ? undefined : newlySetAside(setAside, merged.before);
  const counts = { jobs: jobs.length, nodes: nodes.length };
  return { outcome: "accepted", ...counts, ...(news === undefined ? {} : { setAside: news }) };
}

function newlySetAside(
  { items, more }: DemandSetAside,
  before: SourceDemand | undefined,
): { readonly items: number; readonly news: readonly SetAside[] } {
  const itemsBefore = new Set(before?.setAside?.items.map(describeItem));
  return { items: items.length + more, news: items.filter((item) => !itemsBefore.has(describeItem(item))) };
}

/** The index does not identify an item: others come and go before it. */
function describeItem(item: SetAside): string {
  return describeSetAside({ ...item, index: 0 });
}

/** `stored` is the source's demand as it was read; somebody else may have saved it since. */
async function saveOrPark(
  ports: DemandPorts,
  { stored, ...checked }: CheckedMessage & { readonly stored: Stored<SourceDemand> | undefined },
  ttlSeconds: number,
): Promise<Merge> {
  const merged = await save(ports, checked, ttlSeconds, { stored });
  const { message, setAside } = checked;
  if (merged.outcome !== "early" || message.kind !== "delta") return merged;
  await parkDelta(ports.demand, message, setAside);
  // The predecessor may have come between the check and the parking, and found nothing parked.
  return save(ports, checked, ttlSeconds);
}

/** Applies deltas that were parked behind a message that has just been saved. */
async function saveParked(
  ports: DemandPorts,
  saved: SourceDemand,
  { sentAt, version }: DemandMessage,
): Promise<SourceDemand> {
  const parked = await parkedAfter(ports.demand, saved);
  if (parked === undefined) return saved;
  const { cluster, source, sequence, receivedAtSeconds, expiresAtSeconds } = saved;
  const { jobs, nodes, nodeShapes, remove, capabilities, notices, setAside = [] } = parked;
  const delta: DemandMessage = {
    version,
    kind: "delta",
    cluster,
    source,
    sequence: sequence + 1,
    sentAt,
    jobs: [...jobs],
    nodes: [...nodes],
    remove: [...remove],
    ...(nodeShapes === undefined ? {} : { nodeShapes }),
    ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }),
    ...(notices === undefined ? {} : { notices: [...notices] }),
  };
  const merged = await save(ports, { message: delta, setAside }, expiresAtSeconds - receivedAtSeconds);
  return merged.outcome === "merged" ? saveParked(ports, merged.demand, { ...delta }) : saved;
}

/** Messages of one source race each other. `first`: its demand as it was read already. */
function save(
  ports: DemandPorts,
  { message, setAside }: CheckedMessage,
  ttlSeconds: number,
  first?: { readonly stored: Stored<SourceDemand> | undefined },
): Promise<Merge> {
  const { cluster, source } = message;
  let read = first;
  return untilWritten(async () => {
    const { stored } = read ?? { stored: await ports.demand.load(cluster, source) };
    read = undefined;
    const keepsPast = await keepsPastOf(ports, cluster);
    const nowSeconds = ports.clock.nowSeconds();
    const merged = mergeDemand(stored?.value, message, { nowSeconds, ttlSeconds, setAside, keepsPast });
    if (merged.outcome !== "early") await ports.demand.save(merged.demand, stored?.etag);
    return merged;
  });
}

function earlyReason(message: DemandMessage, have: number | undefined): string {
  const base = have === undefined ? "no snapshot of this source" : `sequence ${have}`;
  return `delta ${message.sequence} of source "${message.source}" waits: have ${base}, expected ${message.sequence - 1}`;
}
