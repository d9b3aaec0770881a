import type { CheckName, CheckView, ClusterStatus, StatusProblemKind } from "../api/index.ts";
import { furthestAheadSeconds } from "../cycle/index.ts";
import type { DemandSummary } from "../ports/index.ts";
import { duration } from "../text/durations.ts";
import { moment } from "../text/moment.ts";
import { counted, joined } from "../text/text.ts";
import { recentRejections } from "./cluster-status.ts";
import { whoReads } from "./status-problems.ts";

/** What the checks of a cluster go by. */
export interface Examined {
  readonly status: ClusterStatus;
  readonly demand: readonly DemandSummary[];
  /** Messages of all clusters on the demand queue; undefined: it cannot be seen from here. */
  readonly unread: number | undefined;
}

/** Not all is known to be well, and nothing to be wrong. */
type Doubt = Omit<CheckView, "check">;

/** `batchSize` of host.json. */
const readAtOnce = 16;

/** Where prices are read at all, they are read every hour. */
const oldestPricesSeconds = 30 * 86_400;

/** What each check reports if no problem of the status fails it; a sentence: all is well. */
const checks: Readonly<Record<Exclude<CheckName, "storage">, (examined: Examined) => string | Doubt>> = {
  configuration: () => "autoscale.json is valid, and CycleCloud's certificate is verified.",
  login: ({ status }) => whenSeen(status, "CycleCloud takes the login."),
  snapshot: ({ status }) => {
    const { snapshot, nodes, atSeconds } = status;
    if (snapshot === null) return doubt("There is no snapshot yet.");
    const count = Object.values(nodes).reduce((sum, each) => sum + each, 0);
    const text = `The newest is ${duration(atSeconds - snapshot.takenAtSeconds)} old, with ${counted(count, "nodes")}.`;
    return isUnconfigured(status)
      ? doubt(`${text} How old it may be is not known: see \`configuration\`.`)
      : text;
  },
  scaling: ({ status }) =>
    isUnconfigured(status)
      ? doubt("It is not paused. Whether it is read-only is not known: see `configuration`.")
      : "It is neither paused nor read-only.",
  demand: ({ status: { demand, atSeconds } }) => {
    const live = demand.filter(({ expired }) => !expired);
    const silent = demand.filter(({ expired }) => expired);
    const ages = (sources: typeof demand) =>
      joined(
        sources.map(
          ({ source, receivedAtSeconds }) => `${source} ${duration(atSeconds - receivedAtSeconds)} ago`,
        ),
        "and",
      );
    if (live.length === 0)
      return doubt("No scheduler posts demand now.", "Start an agent, or post with `ccscale push`.");
    const text = `Posted: ${ages(live)}.`;
    if (silent.length === 0) return text;
    return doubt(
      `${text} Silent since: ${ages(silent)}.`,
      "Start the agents of those that are silent, unless they are gone for good.",
    );
  },
  clocks: ({ status: { atSeconds }, demand }) => {
    const dated = demand.flatMap(({ source, sentAtSeconds, receivedAtSeconds, expiresAtSeconds }) =>
      sentAtSeconds === undefined || expiresAtSeconds <= atSeconds
        ? []
        : [{ source, aheadSeconds: sentAtSeconds - receivedAtSeconds }],
    );
    if (dated.length === 0) return doubt("No message of a scheduler shows its clock.");
    const off = dated.filter(({ aheadSeconds }) => Math.abs(aheadSeconds) > furthestAheadSeconds);
    if (off.length === 0) return `Messages were dated within ${furthestAheadSeconds} s of when they came.`;
    const isAhead = off.some(({ aheadSeconds }) => aheadSeconds > 0);
    const each = off.map(
      ({ source, aheadSeconds }) =>
        `the last of "${source}" ${duration(Math.abs(aheadSeconds))} ${aheadSeconds > 0 ? "after" : "before"} it came`,
    );
    // One that is dated too early may have waited on the queue.
    return {
      state: isAhead ? "failed" : "notice",
      text: `Messages are dated by a clock that is wrong${isAhead ? "" : ", or waited for long"}: ${joined(each, "and")}.`,
      next: "Let chrony or systemd-timesyncd keep the clock of each agent's machine.",
    };
  },
  messages: ({ unread }) => {
    if (unread === undefined) return doubt("How many wait to be read cannot be seen from here.");
    if (unread <= readAtOnce) return `At most ${readAtOnce} wait to be read, as many as are read at once.`;
    return doubt(
      `${counted(unread, "messages")} of all clusters wait to be read.`,
      `Ask again in a minute. If they have not become fewer, they are not read. ${whoReads}`,
    );
  },
  rejects: ({ status: { rejections } }) =>
    rejections.length < recentRejections
      ? "No message was refused or given up, or each was sent again."
      : doubt(
          `The newest ${recentRejections} were sent again, or set aside in part; older ones are not looked at.`,
          "See the older ones: `ccscale rejects list`.",
        ),
  plans: ({
    status: {
      plans: [newest],
      atSeconds,
    },
  }) =>
    newest === undefined
      ? doubt("No plan was made yet.")
      : `The newest was made ${duration(atSeconds - newest.atSeconds)} ago.`,
  nodes: ({ status }) => whenSeen(status, "CycleCloud gives what it is asked for, and nodes boot."),
  money: ({ status }) => {
    const { spending, atSeconds } = status;
    if (spending === null) return doubt("Nothing was counted yet.");
    const { pricesAsOfSeconds, budgets } = spending;
    const where = "`ccscale prices` shows where each price is from.";
    if (pricesAsOfSeconds === null) return doubt("No price has a date: none is from a list.", where);
    const dated = `Prices are of ${moment(pricesAsOfSeconds)}.`;
    if (isUnconfigured(status)) return doubt(`${dated} Budgets are not known: see \`configuration\`.`);
    if (atSeconds - pricesAsOfSeconds > oldestPricesSeconds)
      return doubt(
        `${dated} Their list may have changed since.`,
        `${where} PRICES_SCHEDULE of the app says when lists are read.`,
      );
    return budgets.length === 0
      ? dated
      : `${dated} ${counted(budgets.length, "budgets")} ${budgets.length === 1 ? "is" : "are"} kept.`;
  },
  notifications: () => "None waits to be delivered.",
};

/** Which check a problem of the status fails. Null: it is about jobs and what they ask for, not about the installation. */
const checkOf: Readonly<Record<StatusProblemKind, keyof typeof checks | null>> = {
  "accounts-unreadable": "money",
  "boots-failing": "nodes",
  "budget-near": "money",
  "budget-reached": "money",
  "capacity-back-off": "nodes",
  "certificates-not-verified": "configuration",
  clipped: null,
  configuration: "configuration",
  "default-resources-unset": "configuration",
  "never-deallocated": "configuration",
  "demand-held-back": null,
  "demand-stuck": "messages",
  "demand-unknown": "demand",
  "demand-unread": "messages",
  "jobs-not-started": "demand",
  "jobs-waiting": null,
  "late-snapshot": "snapshot",
  "login-refused": "login",
  "no-snapshot": "snapshot",
  "nodes-failed": "nodes",
  "nodes-unhealthy": "nodes",
  "notifications-failing": "notifications",
  "operation-failed": "nodes",
  "operation-lost": "nodes",
  paused: "scaling",
  "plans-not-archived": "plans",
  "quota-refused": "nodes",
  "read-only": "scaling",
  "record-set-aside": "snapshot",
  rejections: "rejects",
  "set-aside": "demand",
  "several-senders": "demand",
  "source-expired": "demand",
  "source-notice": "demand",
  "sources-full": "demand",
  "stale-snapshot": "snapshot",
  "target-unmet": null,
  "unknown-keys": "demand",
  "unknown-node-arrays": "configuration",
  "unknown-prices": "money",
};

export function checkCluster(examined: Examined): readonly CheckView[] {
  return Object.entries(checks).flatMap(([check, look]): readonly CheckView[] => {
    const problems = examined.status.problems.filter(
      ({ kind }) => checkOf[kind as StatusProblemKind] === check,
    );
    if (problems.length > 0)
      return problems.map(({ gravity, text, next }) => ({
        check,
        // Somebody wanted it so.
        state: gravity === "notice" || check === "scaling" ? "notice" : "failed",
        text,
        next,
      }));
    const seen = look(examined);
    return [typeof seen === "string" ? { check, state: "ok", text: seen, next: null } : { check, ...seen }];
  });
}

function doubt(text: string, next: string | null = null): Doubt {
  return { state: "notice", text, next };
}

/** An old snapshot shows what CycleCloud did then. */
function whenSeen({ snapshot, problems }: ClusterStatus, text: string): string | Doubt {
  if (snapshot === null) return doubt("There is no snapshot yet.");
  const isLate = problems.some(({ kind }) => kind === "stale-snapshot" || kind === "late-snapshot");
  return isLate ? doubt("Not known since the last snapshot: see `snapshot`.") : text;
}

/** Nothing that the configuration says is known. */
function isUnconfigured({ problems }: ClusterStatus): boolean {
  return problems.some(({ kind, gravity }) => kind === "configuration" && gravity === "stopped");
}
