import type { ClusterStatus, KnownProblem, SourceStatus, StatusProblemKind } from "../api/index.ts";
import {
  bucketsOf,
  isUnverified,
  longestUnreadSeconds,
  rhythmOf,
  unreadInWords,
  untilText,
} from "../cycle/index.ts";
import { demandCapKey, kindName } from "../engine/index.ts";
import { ConfigurationError } from "../errors/errors.ts";
import type {
  ClusterConfig,
  Delivery,
  PlanWarnings,
  ReplacedNode,
  StalledJob,
  UnhealthyNode,
} from "../ports/index.ts";
import { duration, exactDuration } from "../text/durations.ts";
import { shellWord } from "../text/shell-word.ts";
import { counted, someOf } from "../text/text.ts";
import { budgets, reckoned, unpriced } from "./budget-problems.ts";
import { neverDeallocated, unknownArrays, unsetResources } from "./config-problems.ts";
import { failedFate } from "./failed-nodes.ts";
import { holdSentence } from "./held-sizes.ts";
import { unhealthyProblem } from "./unhealthy-nodes.ts";

/** What a status is made of, apart from its problems. */
export type StatusFacts = Omit<ClusterStatus, "cluster" | "problems"> & {
  /** Undefined: not found while the status was drawn up. */
  readonly config: ClusterConfig | ConfigurationError | undefined;
  /** To whom there is something to be told. */
  readonly deliveries: readonly Delivery[];
  /** Names of the node arrays that the cluster has; empty: not known. */
  readonly nodeArrays: readonly string[];
  /** Jobs that their schedulers do not start, as the newest plan has it. */
  readonly stalled: readonly StalledJob[];
  /** Nodes that health checks took out of service, as the newest plan has it, and those replaced within a day. */
  readonly unhealthy: readonly UnhealthyNode[];
  readonly replaced: readonly ReplacedNode[];
  /** Of the newest plan. */
  readonly warnings: readonly PlanWarnings[];
};

type Facts<Keys extends keyof StatusFacts> = Pick<StatusFacts, Keys>;

type Checker = (facts: StatusFacts) => readonly KnownProblem[];

/** What a source is, as far as its silence is concerned. */
export type SilentSource = Pick<SourceStatus, "source" | "jobs" | "expired" | "expiresAtSeconds">;

/** Everything that is wrong with a cluster, the gravest first, each with what to do about it. */
export function statusProblems(facts: StatusFacts): readonly KnownProblem[] {
  const gravities: readonly KnownProblem["gravity"][] = ["stopped", "degraded", "notice"];
  const rank = ({ gravity }: KnownProblem) => gravities.indexOf(gravity);
  return checkers.flatMap((check) => check(facts)).toSorted((a, b) => rank(a) - rank(b));
}

/** The order within one gravity: what concerns the whole cluster, then parts of it, then single jobs. */
const checkers: readonly Checker[] = [
  brokenConfiguration,
  refusedLogin,
  missingSnapshot,
  lateSnapshot,
  paused,
  readOnly,
  unverified,
  bootsFailing,
  stalledJobs,
  failedNodes,
  unhealthyNodes,
  budgets,
  reckoned,
  unpriced,
  clipped,
  heldBack,
  unarchived,
  doubts,
  unreadDemand,
  manySources,
  expiredSources,
  setAsideItems,
  sourceNotices,
  severalSenders,
  unknownArrays,
  unsetResources,
  neverDeallocated,
  unknownKeys,
  failedOperations,
  backedOff,
  refusedQuotas,
  setAside,
  rejected,
  undelivered,
  unmetTargets,
  waiting,
];

export function brokenConfiguration({ config }: Facts<"config">): readonly KnownProblem[] {
  const next = "Correct autoscale.json and store it again: `ccscale config push FILE`.";
  if (config instanceof ConfigurationError) return [stopped("configuration", config.message, next)];
  if (config?.inPlaceOf === undefined) return [];
  const text = `${config.inPlaceOf}. The last configuration that could be used stays in force.`;
  return [degraded("configuration", text, `${next} \`ccscale config history\` lists the earlier ones.`)];
}

export function refusedLogin({ loginStopped }: Facts<"loginStopped">): readonly KnownProblem[] {
  if (loginStopped === null) return [];
  const { message, resumedAtSeconds } = loginStopped;
  const text = `CycleCloud refused the login, and is not called any more: ${message}`;
  const next =
    resumedAtSeconds === null
      ? "Correct the user name or the password, then try once more: `ccscale resume --reason WORDS`."
      : "Wait: one of the next snapshots tries it once more, a minute after the refusal at the earliest.";
  return [stopped("login-refused", text, next)];
}

export function missingSnapshot(facts: Facts<"snapshot" | "atSeconds" | "config">): readonly KnownProblem[] {
  const { snapshot, atSeconds, config } = facts;
  if (config === undefined || config instanceof ConfigurationError) return [];
  const most = config.cycle.maxSnapshotAgeSeconds;
  const next =
    "See whether CycleCloud can be reached and whether the snapshot timer runs; nothing is planned until then.";
  if (snapshot === null) return [stopped("no-snapshot", "No snapshot of the cluster was ever taken.", next)];
  const age = Math.round(atSeconds - snapshot.takenAtSeconds);
  if (age <= most) return [];
  const text = `The snapshot is ${exactDuration(age)} old, expected at most ${exactDuration(most)}.`;
  return [stopped("stale-snapshot", text, next)];
}

/** Two of the cluster's longest intervals without a snapshot: the second one was skipped, or failed. */
function lateSnapshot({ snapshot, atSeconds, config }: StatusFacts): readonly KnownProblem[] {
  if (snapshot === null || config === undefined || config instanceof ConfigurationError) return [];
  const { cycle } = config;
  const { atWorkSeconds, atRestSeconds } = rhythmOf(cycle);
  const age = Math.round(atSeconds - snapshot.takenAtSeconds);
  const isLate = atWorkSeconds > 0 && age > atRestSeconds + atWorkSeconds;
  if (!isLate || age > cycle.maxSnapshotAgeSeconds) return [];
  const text = `The snapshot is ${exactDuration(age)} old, and should be at most ${exactDuration(atRestSeconds)}: CycleCloud answers slowly or not at all, or the snapshot timer does not run.`;
  const next = `Nothing yet: plans are made until it is ${exactDuration(cycle.maxSnapshotAgeSeconds)} old. The log says why, as \`snapshot-late\` or \`settled\`.`;
  return [degraded("late-snapshot", text, next)];
}

function paused({ paused }: StatusFacts): readonly KnownProblem[] {
  if (paused === null) return [];
  const text = `Paused by ${paused.by}${untilText(paused)}: ${paused.reason}. Plans are made, and nothing is sent.`;
  return [stopped("paused", text, "When the reason is gone: `ccscale resume --reason WORDS`.")];
}

function readOnly({ config }: StatusFacts): readonly KnownProblem[] {
  if (config === undefined || config instanceof ConfigurationError || !config.cycle.readOnly) return [];
  const text = "The cluster is configured as read-only. Plans are made, and nothing is sent.";
  return [stopped("read-only", text, "To let it scale: `ccscale config set read_only false`.")];
}

function unverified({ config }: StatusFacts): readonly KnownProblem[] {
  if (config === undefined || config instanceof ConfigurationError || !isUnverified(config)) return [];
  const text =
    "The certificate of the CycleCloud server is not verified: anybody in between can read the password.";
  const next =
    "Give certificate_fingerprint or certificate_authority if the system does not know who signed it, then `ccscale config set verify_certificates true`.";
  return [degraded("certificates-not-verified", text, next)];
}

export function bootsFailing(facts: Facts<"bootsFailing" | "atSeconds">): readonly KnownProblem[] {
  const { bootsFailing, atSeconds } = facts;
  const next =
    "`ccscale events --kind node-failed` shows what CycleCloud says: image, scripts, quota. Jobs that other sizes can take go there meanwhile.";
  return bootsFailing
    .filter(({ untilSeconds }) => untilSeconds > atSeconds)
    .map((failing) => {
      const [hold] = bucketsOf([failing]);
      return degraded("boots-failing", hold === undefined ? "" : holdSentence(hold, atSeconds), next);
    });
}

/** Jobs that their schedulers do not start on nodes that are up, and have room for them as far as is known. */
function stalledJobs({ stalled, atSeconds }: StatusFacts): readonly KnownProblem[] {
  return stalled
    .filter(({ untilSeconds }) => untilSeconds > atSeconds)
    .map(({ source, jobs, nodes, kinds, reason, sinceSeconds, asked, granted }) => {
      const [first = { name: "" }] = jobs;
      const others = jobs.length > 1 ? ` and ${counted(jobs.length - 1, "more jobs")} like it` : "";
      const late = `"${source}" has not started job "${first.name}"${others} for ${duration(atSeconds - sinceSeconds)}`;
      const why = reason ?? "it gives no reason";
      if (granted < asked) {
        const text = `${late}. Of ${asked} ${granted} have room on ${someOf(nodes)}, which are up: ${why}.`;
        const next = `If it starts only as a whole, it waits for the rest: \`ccscale explain ${shellWord(first.name)}\`. Otherwise ask the scheduler why.`;
        return notice("jobs-not-started", text, next);
      }
      const where = someOf(kinds.map(kindName));
      const text = `${late} on ${someOf(nodes)} (${where}), though there is room for it: ${why}. No more nodes of that kind are bought for it.`;
      const next = `Ask the scheduler why, and compare what it counts of its nodes: \`ccscale buckets -o counted\`. The job: \`ccscale explain ${shellWord(first.name)}\`.`;
      return degraded("jobs-not-started", text, next);
    });
}

function failedNodes({ failedNodes, config }: StatusFacts): readonly KnownProblem[] {
  const fate = config === undefined || config instanceof ConfigurationError ? "" : failedFate(config);
  return failedNodes.map(({ nodeArray, message, count, first }) => {
    const more = count > first.length ? ` and ${count - first.length} more` : "";
    const said = message === null ? "CycleCloud gives no reason" : message.replace(/\.$/, "");
    const text = `${counted(count, "nodes")} of ${nodeArray} failed (${first.join(", ")}${more}): ${said}.`;
    const next = `${fate}All of them: \`ccscale nodes --state Failed\`; one: \`ccscale history ${shellWord(first[0] ?? "")}\`.`;
    return degraded("nodes-failed", text, next);
  });
}

function unhealthyNodes({ unhealthy, replaced, config }: StatusFacts): readonly KnownProblem[] {
  const isRead = config !== undefined && !(config instanceof ConfigurationError);
  return unhealthyProblem(unhealthy, replaced, isRead ? config.cycle.unhealthyNodes : undefined);
}

function clipped({ plans }: StatusFacts): readonly KnownProblem[] {
  const { clipped } = plans[0] ?? {};
  if (clipped === undefined) return [];
  const caps = clipped.by.map(({ cap, max, used }) => `${cap} (${used} of ${max} taken)`).join(", ");
  const text = `Caps left the newest plan ${clipped.granted} of ${clipped.asked} nodes: ${caps}.`;
  return [notice("clipped", text, "Raise the cap if the jobs should have them sooner.")];
}

function heldBack({ plans }: StatusFacts): readonly KnownProblem[] {
  return (plans[0]?.heldBack ?? []).map(({ cap, limit, asked, jobs, hosts, first }) => {
    const key = demandCapKey(cap);
    const what = hosts > 0 ? counted(hosts, "hosts of schedulers") : counted(jobs, "jobs");
    if (cap === "min-priority")
      return notice(
        "demand-held-back",
        `${what} have a priority below ${key} (${limit}) and get no nodes, "${first.slice(0, longestName)}" first. What runs keeps its nodes.`,
        "It ends with the window of the schedule that sets it, shown with the targets; or lower it in autoscale.json.",
      );
    const most = asked === null ? "" : `; ${asked} asked for`;
    const name = first.slice(0, longestName);
    const text = `Cap ${key} (${limit}${most}) holds back ${what}, "${name}" first. What runs keeps its nodes.`;
    const next =
      hosts > 0
        ? `See why a scheduler describes so many hosts that CycleCloud does not have, or raise ${key} in autoscale.json.`
        : `See who sends them (\`ccscale explain ${shellWord(name)}\`), or raise ${key} in autoscale.json.`;
    return degraded("demand-held-back", text, next);
  });
}

const longestName = 100;

/** How many of the newest plans count; a single one may be a store that did not answer for a moment. */
function unarchived({ plans }: StatusFacts): readonly KnownProblem[] {
  const lost = plans.filter(({ archive }) => archive !== "whole");
  const [newest] = lost;
  if (newest === undefined || lost.length < 2) return [];
  const text = `${lost.length} of the newest ${plans.length} plans were not archived whole and cannot be replayed; the last: ${newest.archiveReason ?? "no reason was noted"}.`;
  const next = "Actions are sent all the same. See `ccscale plans` for the reason of each.";
  return [notice("plans-not-archived", text, next)];
}

function manySources({ demand, config }: StatusFacts): readonly KnownProblem[] {
  if (config === undefined || config instanceof ConfigurationError) return [];
  const { maxSources } = config.cycle;
  const live = demand.filter(({ expired }) => !expired).length;
  if (live < maxSources) return [];
  const text = `${live} sources are live, and no new one is taken: expected at most ${maxSources}.`;
  const next = "Raise max_sources if all of them are yours; else see who may send to the queue job-demand.";
  return [degraded("sources-full", text, next)];
}

export function expiredSources({
  demand,
  atSeconds,
}: Facts<"atSeconds"> & { readonly demand: readonly SilentSource[] }): readonly KnownProblem[] {
  return demand
    .filter(({ expired, jobs }) => expired && jobs > 0)
    .map(({ source, jobs, expiresAtSeconds }) => {
      const text = `Source "${source}" with ${counted(jobs, "jobs")} is silent: waiting jobs have not counted for ${duration(atSeconds - expiresAtSeconds)}; nodes of running jobs are kept for a day.`;
      const next = `See whether what posts the demand of "${source}" still runs: its next message counts at once. Only if it is gone for good: \`ccscale push --source ${shellWord(source)} --end\` forgets its jobs, and nodes on which some still run may be deleted.`;
      return degraded("source-expired", text, next);
    });
}

function doubts({ doubts, atSeconds }: StatusFacts): readonly KnownProblem[] {
  return doubts.map(({ source, why, sinceSeconds, untilSeconds }) => {
    const since = duration(atSeconds - sinceSeconds);
    const end = source === null ? "This ends" : "Its next good message ends this, or it ends";
    const text = `What runs where is unknown for ${since}: ${why}. No node goes for being idle. ${end} in ${duration(untilSeconds - atSeconds)}.`;
    const next = `\`ccscale rejects list\` shows the messages and what is wrong with them; fix ${source === null ? "whatever posts them" : `what posts the demand of "${source}"`}.`;
    return degraded("demand-unknown", text, next);
  });
}

/** Reading a message takes a moment. */
const usualWaitSeconds = 120;

function unreadDemand({ unread, atSeconds }: StatusFacts): readonly KnownProblem[] {
  if (unread === null) return [];
  const { messages, sinceSeconds, nodes } = unread;
  const age = atSeconds - sinceSeconds;
  const what = `${unreadInWords(messages)}${age >= 1 ? `, for ${duration(age)} by now` : ""}`;
  if (nodes === 0) {
    const text = `Idle nodes go, though ${what}: none that can be seen names this cluster.`;
    return [degraded("demand-stuck", text, whoReads)];
  }
  const stay = `${counted(nodes, "idle nodes")} ${nodes === 1 ? "stays" : "stay"} up`;
  const text = `${stay}, since ${what}: one may name a node on which a job runs.`;
  if (age < usualWaitSeconds)
    return [notice("demand-unread", text, "Wait: messages are read within seconds.")];
  const end =
    messages === null
      ? ""
      : ` It ends after ${duration(longestUnreadSeconds)} at the latest, unless a message that can be seen names this cluster.`;
  return [degraded("demand-unread", `${text}${end}`, whoReads)];
}

export const whoReads =
  "See in the log whether `accept-demand` and `watch-rejects` run and what they report. A message that a host held when it died shows again after ten minutes.";

function setAsideItems({ demand }: StatusFacts): readonly KnownProblem[] {
  return demand
    .filter(({ setAside, expired }) => setAside.count > 0 && !expired)
    .map(({ source, setAside: { count, first } }) => {
      const more = count > first.length ? `, and ${count - first.length} more` : "";
      const text = `Source "${source}" posts what does not check out, and the rest counts: ${first.join(", ")}${more}.`;
      const next =
        "`ccscale jobs --state set-aside` names the jobs, `ccscale rejects list` everything; nodes of those that run stay.";
      return degraded("set-aside", text, next);
    });
}

function sourceNotices({ demand }: StatusFacts): readonly KnownProblem[] {
  const next = "Its agent's log has more: `scheduler-files`.";
  return demand
    .filter(({ expired }) => !expired)
    .flatMap(({ source, notices }) =>
      notices.map((text) => notice("source-notice", `Source "${source}": ${text}`, next)),
    );
}

function severalSenders({ demand, atSeconds }: StatusFacts): readonly KnownProblem[] {
  return demand.flatMap(({ source, senders, expired }) => {
    if (senders === null || expired) return [];
    const { names, turns, sinceSeconds } = senders;
    const text = `Source "${source}" has several senders that take turns, ${turns} times in ${duration(atSeconds - sinceSeconds)}: ${names.join(" and ")}. Each takes back what the other reports.`;
    const next = `Stop all but one program that posts the demand of "${source}", or give each a source of its own.`;
    return [degraded("several-senders", text, next)];
  });
}

function unknownKeys({ demand }: StatusFacts): readonly KnownProblem[] {
  return demand.flatMap(({ source, warned, expired }) => {
    if (warned === null || expired) return [];
    const what = counted(warned.jobs, "jobs");
    const text = `Source "${source}" posts ${what} with keys that have no effect: ${warned.first}`;
    const next = "`ccscale jobs` names them with what was probably meant; fix what posts them.";
    return [notice("unknown-keys", text.endsWith("?") ? text : `${text}.`, next)];
  });
}

function failedOperations({ operations, atSeconds }: StatusFacts): readonly KnownProblem[] {
  return operations
    .filter(({ state, overtaken }) => (state === "failed" || state === "lost") && !overtaken)
    .map(({ actionId, kind, state, messages, requestedBy, updatedAtSeconds }) => {
      const words = messages.length === 0 ? "no reason was given" : messages.join("; ");
      const what = state === "failed" ? "was refused" : "showed no effect in time";
      const age = duration(atSeconds - updatedAtSeconds);
      const next =
        requestedBy === null
          ? "The next plan asks anew for what is still needed."
          : `Nothing repeats what ${requestedBy.who} asked for: ask again if it is still wanted.`;
      const text = `${kind} ${actionId} ${what} ${age} ago: ${words}.`;
      return degraded(state === "failed" ? "operation-failed" : "operation-lost", text, next);
    });
}

function backedOff({ backedOff, bootsFailing, atSeconds }: StatusFacts): readonly KnownProblem[] {
  const failing = new Set(bootsFailing.map(kindName));
  return (
    backedOff
      // Boots that fail are a problem of their own.
      .filter((each) => !failing.has(kindName(each)))
      // A budget that is spent is a problem of its own, and needs no line for each size.
      .filter(({ budget, isUnpriced }) => budget === undefined || isUnpriced === true)
      .filter(({ untilSeconds }) => untilSeconds > atSeconds)
      .map((hold) => {
        const text = holdSentence(hold, atSeconds);
        return degraded("capacity-back-off", text, "Jobs that other sizes can take go there meanwhile.");
      })
  );
}

function refusedQuotas({ refusedQuotas, atSeconds }: StatusFacts): readonly KnownProblem[] {
  return refusedQuotas
    .filter(({ untilSeconds }) => untilSeconds > atSeconds)
    .map(({ limit, scope, coresLeft, untilSeconds, why }) => {
      const text = `Azure refused nodes under the ${limit} quota of ${scope}: at most ${counted(coresLeft, "cores")} of it are asked for during the next ${duration(untilSeconds - atSeconds)}. It said: ${why}`;
      const next = "Ask Azure for more, or see who else uses it: `ccscale limits`.";
      return degraded("quota-refused", text, next);
    });
}

function setAside({ snapshot }: StatusFacts): readonly KnownProblem[] {
  return (snapshot?.setAside ?? []).map((text) =>
    notice("record-set-aside", text, "CycleCloud's record is odd; what it is about is left alone."),
  );
}

function rejected({ rejections }: StatusFacts): readonly KnownProblem[] {
  const open = rejections.filter(
    ({ kind, replayedAtSeconds }) => kind !== "set-aside" && replayedAtSeconds === undefined,
  );
  if (open.length === 0) return [];
  const were = open.length === 1 ? "was" : "were";
  const text = `${open.length} of the newest messages ${were} refused or given up, the last from ${open[0]?.source ?? "an unknown source"}.`;
  return [
    notice(
      "rejections",
      text,
      "`ccscale rejects list` shows why; a fixed one is sent again by `ccscale rejects replay ID --file FILE`.",
    ),
  ];
}

function undelivered({ deliveries, atSeconds }: StatusFacts): readonly KnownProblem[] {
  return deliveries.flatMap(({ to, failingSinceSeconds, why }) => {
    if (failingSinceSeconds === null) return [];
    const text = `Notifications to ${to} have not arrived for ${duration(atSeconds - failingSinceSeconds)}: ${why}.`;
    const next = `Put the address of the webhook into app setting ${to}; what waits is sent for a day.`;
    return [notice("notifications-failing", text, next)];
  });
}

/** The result of a set's new request is not known before the next plan. */
function unmetTargets({ targets, requestSets }: StatusFacts): readonly KnownProblem[] {
  const planned = new Set(requestSets.filter((set) => set.planned).map(({ requestSet }) => requestSet));
  return targets
    .filter(({ asked, granted, requestSet }) => granted < asked && planned.has(requestSet))
    .map(({ name, requestSet, asked, granted, unit, why }) => {
      const text = `Target "${name}" of request set "${requestSet}" has ${granted} of ${asked} ${unit}.`;
      const explain = `\`ccscale explain --target ${shellWord(name)} --request-set ${shellWord(requestSet)}\``;
      const first = why.slice(1).join(" ") || "It is tried again every minute.";
      return notice("target-unmet", text, `${first} More: ${explain}.`);
    });
}

function waiting({ waiting, plans }: StatusFacts): readonly KnownProblem[] {
  const [first] = waiting;
  if (first === undefined) return [];
  const [plan] = plans;
  // The list holds the first ones only. Before the first plan it is empty.
  const all = plan === undefined ? waiting.length : Math.max(waiting.length, plan.jobs - plan.placedJobs);
  const isShort = first.job.length <= longestName;
  const name = isShort ? first.job : `${first.job.slice(0, longestName)}…`;
  const text = `${counted(all, "jobs")} ${all === 1 ? "waits" : "wait"}, "${name}" first.`;
  const one = isShort ? [`Why: \`ccscale explain ${shellWord(first.job)}\``] : [];
  const ofAll = `${isShort ? "of all of them" : "Why"}: \`ccscale jobs --summary\``;
  const next = `${[...one, ...(isShort && all === 1 ? [] : [ofAll])].join("; ")}.`;
  return [notice("jobs-waiting", text, next)];
}

function stopped(kind: StatusProblemKind, text: string, next: string): KnownProblem {
  return { gravity: "stopped", kind, text, next };
}

function degraded(kind: StatusProblemKind, text: string, next: string): KnownProblem {
  return { gravity: "degraded", kind, text, next };
}

function notice(kind: StatusProblemKind, text: string, next: string): KnownProblem {
  return { gravity: "notice", kind, text, next };
}
