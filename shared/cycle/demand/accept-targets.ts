import { kindOf } from "../../errors.ts";
import type { TargetsMessage } from "../../messages/job-demand.ts";
import type { IfMatch, Ports, RequestSet } from "../../ports/index.ts";
import { requestPlan } from "../request-plan.ts";
import { refusedAttributes } from "./target-attributes.ts";
import { isConfigured, unknownCluster } from "./unknown-cluster.ts";

/** Requests of one set race each other; each round one wins. */
const mostSaves = 20;
/** Each is read for every plan of its cluster. */
const mostLiveSets = 50;
const forgottenAfterSeconds = 24 * 60 * 60;

export type AcceptTargetsOutcome =
  | { readonly outcome: "accepted"; readonly requested: RequestSet }
  /** An older or repeated request. */
  | { readonly outcome: "ignored" }
  | { readonly outcome: "rejected"; readonly problems: readonly string[] };

type TargetPorts = Pick<Ports, "clock" | "configs" | "log" | "planRequests" | "targets">;

/** `sequence`: the queue does not keep order, the message says which is newer. `arrival`: whoever asks now means now. */
export type TargetsOrder = "sequence" | "arrival";

/**
 * Takes one autoscale request that was checked already: it replaces the last one of its request set, and a plan is asked
 * for. Throws ConflictError when other requests of the same set were faster again and again; it is then tried again.
 */
export async function acceptTargets(
  ports: TargetPorts,
  message: TargetsMessage,
  order: TargetsOrder = "sequence",
): Promise<AcceptTargetsOutcome> {
  const outcome = await accept(ports, message, order);
  const { cluster, source, requestSet, arrays } = message;
  const fields = { cluster, source, requestSet, arrays: arrays.length, outcome: outcome.outcome };
  ports.log.info("targets", fields);
  return outcome;
}

async function accept(
  ports: TargetPorts,
  message: TargetsMessage,
  order: TargetsOrder,
): Promise<AcceptTargetsOutcome> {
  const { cluster, requestSet } = message;
  const problems = await checkTargets(ports, message);
  if (problems.length > 0) return { outcome: "rejected", problems };
  await forgetOldSets(ports, cluster);
  const { isNews, requested } = await save(ports, message, order);
  // Also for a repeat: the run that saved this request may have died before it asked for the plan.
  const isSaved = requested.source === message.source && requested.sequence === message.sequence;
  if (isNews || isSaved) await requestPlan(ports, { cluster, reason: `targets of ${requestSet}` });
  return isNews ? { outcome: "accepted", requested } : { outcome: "ignored" };
}

/** Why a request would not be taken, beside what it says of itself; empty when it would. Changes nothing. */
export async function checkTargets(ports: TargetPorts, message: TargetsMessage): Promise<readonly string[]> {
  const { cluster } = message;
  if (!(await isConfigured(ports, cluster))) return [await unknownCluster(ports, cluster)];
  const refused = await refusedAttributes(ports, message);
  const other = otherCluster(message) ?? (await tooManySets(ports, message));
  return other === undefined ? refused : [other, ...refused];
}

function otherCluster({ cluster, arrays }: TargetsMessage): string | undefined {
  const index = arrays.findIndex(({ ClusterName = cluster }) => ClusterName !== cluster);
  return index < 0
    ? undefined
    : `arrays[${index}].ClusterName: "${arrays[index]?.ClusterName}", expected "${cluster}" or nothing`;
}

async function tooManySets(
  { clock, targets }: TargetPorts,
  { cluster, requestSet }: TargetsMessage,
): Promise<string | undefined> {
  const nowSeconds = clock.nowSeconds();
  const others = (await targets.list(cluster)).filter((set) => set.requestSet !== requestSet);
  const live = others.filter((set) => set.expiresAtSeconds > nowSeconds).length;
  return live < mostLiveSets
    ? undefined
    : `requestSet: "${requestSet}", ${live} others hold already, expected at most ${mostLiveSets} in all`;
}

/** Those that were not asked for in a day, when a new request comes. */
async function forgetOldSets({ clock, targets }: TargetPorts, cluster: string): Promise<void> {
  const longAgoSeconds = clock.nowSeconds() - forgottenAfterSeconds;
  for (const { requestSet, expiresAtSeconds } of await targets.list(cluster))
    if (expiresAtSeconds <= longAgoSeconds) await targets.remove(cluster, requestSet);
}

interface Saved {
  readonly isNews: boolean;
  readonly requested: RequestSet;
}

async function save(
  ports: TargetPorts,
  message: TargetsMessage,
  order: TargetsOrder,
  triesLeft = mostSaves,
): Promise<Saved> {
  const current = await ports.targets.load(message.cluster, message.requestSet);
  const merged = mergeTargets(current?.value, message, { order, nowSeconds: ports.clock.nowSeconds() });
  if (await saved(ports, merged.requested, current?.etag)) return merged;
  if (triesLeft > 1) return save(ports, message, order, triesLeft - 1);
  await ports.targets.save(merged.requested, current?.etag);
  return merged;
}

async function saved(ports: TargetPorts, requested: RequestSet, ifMatch: IfMatch): Promise<boolean> {
  try {
    await ports.targets.save(requested, ifMatch);
    return true;
  } catch (error) {
    if (kindOf(error) === "conflict") return false;
    throw error;
  }
}

/**
 * What a set wants after one more request. Of one source the larger sequence is newer; once the set has expired, a source
 * that counts anew is recognised by a later `sentAt`. Between sources the later `sentAt` is newer, and no clock that is
 * ahead counts for more than now.
 */
export function mergeTargets(
  current: RequestSet | undefined,
  message: TargetsMessage,
  { order, nowSeconds }: { readonly order: TargetsOrder; readonly nowSeconds: number },
): Saved {
  const sentAtSeconds = Math.min(Date.parse(message.sentAt) / 1000, nowSeconds);
  if (
    order === "sequence" &&
    current !== undefined &&
    isOld(current, { ...message, sentAtSeconds }, nowSeconds)
  )
    return { isNews: false, requested: { ...current, ignoredMessages: current.ignoredMessages + 1 } };
  const { cluster, requestSet, source, arrays, expirationInterval } = message;
  const before = current?.source === source ? current.sequence : -1;
  return {
    isNews: true,
    requested: {
      cluster,
      requestSet,
      source,
      sequence: order === "sequence" ? message.sequence : before + 1,
      sentAtSeconds,
      receivedAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + expirationInterval,
      arrays,
      ignoredMessages: current?.ignoredMessages ?? 0,
    },
  };
}

/** Whether a request set has had this request, or a newer one. */
export function isOld(
  current: RequestSet,
  message: Pick<TargetsMessage, "source" | "sequence"> & { readonly sentAtSeconds: number },
  nowSeconds: number,
): boolean {
  const isLater = message.sentAtSeconds > current.sentAtSeconds;
  if (message.source !== current.source) return !isLater;
  const mayStartOver = current.expiresAtSeconds <= nowSeconds && isLater;
  return message.sequence <= current.sequence && !mayStartOver;
}
