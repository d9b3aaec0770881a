import type { ClusterStatus, StatusProblemKind } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { moment } from "../../../shared/text/moment.ts";
import { counted, joined } from "../../../shared/text/text.ts";
import type { Checked } from "./checked.ts";

/** The checks of a cluster, in the order in which one rests on another, each with what it reports when all is well. */
const checks = {
  configuration: () => "autoscale.json is valid, and CycleCloud's certificate is verified.",
  login: (status) => afterSnapshot(status, () => "CycleCloud takes the login."),
  snapshot: (status) =>
    afterSnapshot(status, ({ takenAtSeconds }) => {
      const nodes = Object.values(status.nodes).reduce((sum, count) => sum + count, 0);
      return `The newest is ${duration(status.atSeconds - takenAtSeconds)} old, with ${counted(nodes, "nodes")}.`;
    }),
  scaling: () => "It is neither paused nor read-only.",
  demand: ({ demand, atSeconds }) => {
    const live = demand.filter(({ expired }) => !expired);
    if (live.length === 0) return null;
    const posts = live.map(
      ({ source, receivedAtSeconds }) => `${source} ${duration(atSeconds - receivedAtSeconds)} ago`,
    );
    return `Posted: ${joined(posts, "and")}.`;
  },
  messages: () => "None waits to be read, or to be sent again.",
  plans: ({ plans: [newest], atSeconds }) =>
    newest === undefined ? null : `The newest was made ${duration(atSeconds - newest.atSeconds)} ago.`,
  nodes: () => "CycleCloud gives what it is asked for, and nodes boot.",
  money: ({ spending }) => {
    if (spending === null) return null;
    const { pricesAsOfSeconds, budgets } = spending;
    const prices =
      pricesAsOfSeconds === null ? "None is from a list." : `Prices are of ${moment(pricesAsOfSeconds)}.`;
    return budgets.length === 0
      ? prices
      : `${prices} ${counted(budgets.length, "budgets")} ${budgets.length === 1 ? "is" : "are"} kept.`;
  },
  notifications: () => "None waits to be delivered.",
} as const satisfies Readonly<Record<string, (status: ClusterStatus) => string | null>>;

type CheckName = keyof typeof checks;

/** What to do where a check has nothing to go by. */
const waitsFor: Readonly<Partial<Record<CheckName, string>>> = {
  login: "There is no snapshot yet.",
  snapshot: "There is no snapshot yet.",
  demand: "No scheduler posts demand now. Start an agent, or post with `ccscale push`.",
  plans: "No plan was made yet.",
  money: "Nothing was counted yet.",
};

/** Which check a problem of the status fails. Null: it is about jobs and what they ask for, not about the installation. */
const checkOf: Readonly<Record<StatusProblemKind, CheckName | null>> = {
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
  rejections: "messages",
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

export function checkCluster(status: ClusterStatus): readonly Checked[] {
  return (Object.keys(checks) as CheckName[]).flatMap((check): readonly Checked[] => {
    const about = { check, cluster: status.cluster };
    // A later release of the service may know of more kinds: they stand in `ccscale status`.
    const problems = status.problems.filter(
      ({ kind }) => (checkOf as Record<string, unknown>)[kind] === check,
    );
    if (problems.length > 0)
      return problems.map(({ gravity, text, next }) => ({
        ...about,
        // Somebody wanted it so.
        state: gravity === "notice" || check === "scaling" ? "notice" : "failed",
        text,
        next,
      }));
    const text = checks[check](status);
    return [
      text === null
        ? { ...about, state: "notice", text: waitsFor[check] ?? "", next: null }
        : { ...about, state: "ok", text, next: null },
    ];
  });
}

function afterSnapshot(
  { snapshot }: ClusterStatus,
  text: (snapshot: NonNullable<ClusterStatus["snapshot"]>) => string,
): string | null {
  return snapshot === null ? null : text(snapshot);
}
