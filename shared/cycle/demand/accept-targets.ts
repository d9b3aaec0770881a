import { untilWritten } from "../../errors/errors.ts";
import {
  accountOf,
  amountInWords,
  asideOf,
  type NodeArrayTarget,
  type Parsed,
  type SetAside,
  type TargetsMessage,
} from "../../messages/index.ts";
import type { Ports, RequestSet } from "../../ports/index.ts";
import { eventsOf, noteEvents } from "../note-events.ts";
import { requestPlan } from "../request-plan.ts";
import { isConfigured, unknownCluster } from "./configured.ts";
import { refusedAttributes } from "./target-attributes.ts";

/** Each is read for every plan of its cluster. */
const mostLiveSets = 50;
const forgottenAfterSeconds = 24 * 60 * 60;

export type AcceptTargetsOutcome =
  | {
      readonly outcome: "accepted";
      readonly requested: RequestSet;
      /** Absent: every definition could be read. */
      readonly setAside?: { readonly items: number; readonly news: readonly SetAside[] };
    }
  /** An older or repeated request. */
  | { readonly outcome: "ignored" }
  | { readonly outcome: "rejected"; readonly problems: readonly string[] };

type TargetPorts = Pick<Ports, "clock" | "configs" | "events" | "log" | "planRequests" | "targets">;

/**
 * `sequence`: the queue does not keep order, so the message's number decides. `arrival`: a direct caller's newest
 * request decides.
 */
export type TargetsOrder = "sequence" | "arrival";

/**
 * Accepts one checked autoscale request: it replaces the last one of its request set and asks for a plan. Throws
 * ConflictError when other requests of the same set were faster in every round; the queue then delivers it again.
 */
export async function acceptTargets(
  ports: TargetPorts,
  message: TargetsMessage,
  { order = "sequence", setAside = [] }: Partial<AsReceived> = {},
): Promise<AcceptTargetsOutcome> {
  const outcome = await accept(ports, message, { order, setAside });
  const { cluster, source, requestSet, arrays } = message;
  const fields = { cluster, source, requestSet, arrays: arrays.length, outcome: outcome.outcome };
  ports.log.info("targets", { ...fields, ...(setAside.length === 0 ? {} : { setAside: setAside.length }) });
  return outcome;
}

/** How a request arrived, and its definitions that could not be read. */
interface AsReceived {
  readonly order: TargetsOrder;
  readonly setAside: readonly SetAside[];
}

async function accept(
  ports: TargetPorts,
  message: TargetsMessage,
  { order, setAside }: AsReceived,
): Promise<AcceptTargetsOutcome> {
  const { cluster, requestSet } = message;
  const checked = await checkTargets(ports, message, setAside);
  if (!checked.ok) return { outcome: "rejected", problems: checked.problems };
  await forgetOldSets(ports, cluster);
  const aside = checked.setAside;
  // Requests of one set race each other; one succeeds per round.
  const { isNews, requested } = await untilWritten(() =>
    save(ports, checked.message, { order, setAside: aside }),
  );
  // Also for a repeat: the run that saved this request may have died before it asked for the plan.
  const isSaved = requested.source === message.source && requested.sequence === message.sequence;
  if (isNews || isSaved)
    await requestPlan(ports, { cluster, reason: `targets of ${requestSet}`, onlyDemand: true });
  if (!isNews) return { outcome: "ignored" };
  const { arrays } = requested;
  const reason = `request set "${requestSet}": ${arrays.map((array) => `${array.Name} ${amountInWords(array)}`).join(", ") || "nothing more"}`;
  const about = { kind: "targets", by: null, source: message.source, reason } as const;
  const [event] = eventsOf({ ...about, atSeconds: requested.receivedAtSeconds }, null);
  if (event !== undefined) await noteEvents(ports, cluster, [{ ...event, eventId: `targets:${requestSet}` }]);
  return { outcome: "accepted", requested, ...(aside.length === 0 ? {} : { setAside: asNews(aside) }) };
}

function asNews(news: readonly SetAside[]) {
  return { items: news.length, news };
}

/**
 * The request without the definitions that its cluster does not allow, which join those that were set aside before; or
 * the reasons why all of it would be refused. Changes nothing.
 */
export async function checkTargets(
  ports: TargetPorts,
  message: TargetsMessage,
  setAside: readonly SetAside[],
): Promise<Parsed<TargetsMessage>> {
  const { cluster } = message;
  if (!(await isConfigured(ports, cluster)))
    return { ok: false, problems: [await unknownCluster(ports, cluster)] };
  const tooMany = await tooManySets(ports, message);
  if (tooMany !== undefined) return { ok: false, problems: [tooMany] };
  const attributes = await refusedAttributes(ports, message);
  const before = new Set(setAside.map(({ index }) => index));
  const whole = Array.from({ length: message.arrays.length + before.size }, (_, index) => index);
  /** One entry for each definition in the list that was sent. */
  const places = whole.filter((index) => !before.has(index));
  const problemsOf = message.arrays.map((target, index) => [
    ...otherCluster(cluster, target),
    ...(attributes.get(index) ?? []),
  ]);
  return {
    ok: true,
    message: { ...message, arrays: message.arrays.filter((_, index) => problemsOf[index]?.length === 0) },
    setAside: [
      ...setAside,
      ...message.arrays.flatMap((item, at) => {
        const problems = problemsOf[at] ?? [];
        const index = places[at] ?? at;
        return problems.length === 0 ? [] : [asideOf("target", { index, item, problems })];
      }),
    ],
  };
}

function otherCluster(cluster: string, { ClusterName = cluster }: NodeArrayTarget): readonly string[] {
  return ClusterName === cluster ? [] : [`ClusterName: "${ClusterName}", expected "${cluster}" or nothing`];
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

/** Sets without a request for a day are removed when a new request comes. */
async function forgetOldSets({ clock, targets }: TargetPorts, cluster: string): Promise<void> {
  const longAgoSeconds = clock.nowSeconds() - forgottenAfterSeconds;
  for (const { requestSet, expiresAtSeconds } of await targets.list(cluster))
    if (expiresAtSeconds <= longAgoSeconds) await targets.remove(cluster, requestSet);
}

interface Saved {
  readonly isNews: boolean;
  readonly requested: RequestSet;
}

async function save(ports: TargetPorts, message: TargetsMessage, received: AsReceived): Promise<Saved> {
  const current = await ports.targets.load(message.cluster, message.requestSet);
  const merged = mergeTargets(current?.value, message, {
    ...received,
    nowSeconds: ports.clock.nowSeconds(),
  });
  await ports.targets.save(merged.requested, current?.etag);
  return merged;
}

/**
 * The demand of a set after one more request. Within one source the larger sequence is newer; once the set has expired,
 * a later `sentAt` shows that a source has restarted its count. Between sources the later `sentAt` is newer. A clock
 * that is ahead counts as now at most.
 */
function mergeTargets(
  current: RequestSet | undefined,
  message: TargetsMessage,
  {
    order,
    nowSeconds,
    setAside = [],
  }: { readonly order: TargetsOrder; readonly nowSeconds: number; readonly setAside?: readonly SetAside[] },
): Saved {
  const sentAtSeconds = Math.min(Date.parse(message.sentAt) / 1000, nowSeconds);
  const sent = { ...message, sentAtSeconds };
  if (order === "sequence" && current !== undefined && isOld(current, sent, nowSeconds))
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
      arrays: [...arrays, ...heldOf(current, { arrays, setAside, nowSeconds })],
      ignoredMessages: current?.ignoredMessages ?? 0,
    },
  };
}

/**
 * The earlier targets of a set that stay because their definitions cannot be read in its new request: those of the same
 * names, or, if a name cannot be read either, all that the request does not name.
 */
function heldOf(
  current: RequestSet | undefined,
  now: {
    readonly arrays: readonly NodeArrayTarget[];
    readonly setAside: readonly SetAside[];
    readonly nowSeconds: number;
  },
): readonly NodeArrayTarget[] {
  if (current === undefined || current.expiresAtSeconds <= now.nowSeconds) return [];
  const unread = new Set(now.setAside.map(({ name }) => name));
  const given = new Set(now.arrays.map(accountOf));
  return current.arrays.filter(
    (target) => !given.has(accountOf(target)) && (unread.has(target.Name) || unread.has(null)),
  );
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
