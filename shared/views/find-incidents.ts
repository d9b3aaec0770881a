import type { ClusterStatus, StatusProblem } from "../api/index.ts";
import { loadControl } from "../cycle/index.ts";
import { kindName } from "../engine/index.ts";
import { ConfigurationError } from "../errors/errors.ts";
import type {
  ClusterConfig,
  DemandSummary,
  IncidentWords,
  NotificationKind,
  PlanHead,
  Ports,
  RequestSet,
} from "../ports/index.ts";
import { unknownSource } from "../ports/index.ts";
import { duration, exactDuration } from "../text/durations.ts";
import { moment } from "../text/moment.ts";
import { redactText } from "../text/redact.ts";
import { shellWord } from "../text/shell-word.ts";
import { printableCut } from "../text/text.ts";
import { budgets } from "./budget-problems.ts";
import { spendingStatus } from "./spending-status.ts";
import * as problems from "./status-problems.ts";

/** Something that is wrong now, or that is unknown now. */
export interface Finding extends IncidentWords {
  /** Problem and subject: the same from one look to the next. */
  readonly key: string;
  /** False: an open incident stays open, and none begins. */
  readonly opens: boolean;
  /** How long it has to last, in one state, before it counts. */
  readonly waitSeconds: number;
  readonly state: string;
}

type IncidentPorts = Pick<Ports, "clock" | "controls" | "demand" | "plans" | "snapshots" | "targets">;

/** What the configuration is; or every reason why it cannot be used. */
export type FoundConfig = ClusterConfig | ConfigurationError;

/**
 * What is wrong with a cluster that somebody should be notified of. What is unknown now, because of something that is
 * itself found, is found without beginning anything: an open incident is not over only because nobody can look.
 */
export async function findIncidents(
  ports: IncidentPorts,
  cluster: string,
  config: FoundConfig,
): Promise<readonly Finding[]> {
  const atSeconds = ports.clock.nowSeconds();
  const [{ refusedLogin }, snapshot, demand, targets, head] = await Promise.all([
    loadControl(ports, cluster),
    ports.snapshots.load(cluster),
    ports.demand.summaries(cluster),
    ports.targets.list(cluster),
    ports.plans.loadHead(cluster),
  ]);
  const word = wordsOf(cluster);
  const login = word("login-refused", problems.refusedLogin({ loginStopped: shownLogin(refusedLogin) }));
  const broken = word("stuck", problems.brokenConfiguration({ config }));
  const taken =
    snapshot === undefined ? null : { takenAtSeconds: snapshot.value.takenAtSeconds, setAside: [] };
  const isUnknown = config instanceof ConfigurationError;
  const isBlind = login.length > 0 || isUnknown;
  const missing = isBlind ? [] : missingSnapshot(word, { config, snapshot: taken, atSeconds });
  const cannotTell = [...login, ...(isUnknown ? broken : []), ...missing];
  return [
    ...(isUnknown ? [] : broken),
    ...cannotTell,
    ...(isBlind ? [unseen("stuck", "snapshot")] : []),
    ...(cannotTell.length > 0
      ? [unseen("stuck", "plan")]
      : missingPlan(word, { config, head: head?.value, demand, targets, atSeconds })),
    ...budgetsIn(word, spendingStatus(snapshot?.value)),
    ...(head?.value.bootsFailing ?? []).flatMap((each) =>
      word("boots-failing", problems.bootsFailing({ bootsFailing: [each], atSeconds }), kindName(each)),
    ),
    ...longWaits(word, { config, head: head?.value, atSeconds }),
    ...demand.flatMap((each) => silent(word, each, atSeconds)),
  ];
}

type Word = ReturnType<typeof wordsOf>;

const longestText = 1_500;
const longestSubject = 200;

/** Names and reasons come from outside: of each no more than a message takes, without secrets and what hides. */
function safe(text: string, longest = longestText): string {
  return printableCut(redactText(text), longest);
}

function wordsOf(cluster: string) {
  return (
    kind: NotificationKind,
    found: readonly StatusProblem[],
    subject: string | null = null,
  ): readonly Finding[] => {
    const name = subject === null ? null : safe(subject, longestSubject);
    return found.map(({ kind: problem, text, next }) => ({
      ...unseen(kind, name === null ? problem : `${problem}:${name}`),
      problem,
      subject: name,
      text: safe(text),
      next: safe(next),
      command: safe(commands[kind](shellWord(cluster), subject)),
      opens: true,
    }));
  };
}

/** What shows more, or ends it. */
const commands: Readonly<Record<NotificationKind, (cluster: string, subject: string | null) => string>> = {
  budget: (cluster) => `ccscale cost --cluster ${cluster} --by array,account`,
  "boots-failing": (cluster) => `ccscale events --cluster ${cluster} --kind node-failed`,
  "long-wait": (cluster) => `ccscale jobs --cluster ${cluster} --summary`,
  "login-refused": (cluster) => `ccscale resume --cluster ${cluster} --reason "password corrected"`,
  "source-silent": (cluster) => `ccscale status --cluster ${cluster}`,
  stuck: (cluster) => `ccscale status --cluster ${cluster}`,
};

function shownLogin(refused: Awaited<ReturnType<typeof loadControl>>["refusedLogin"]) {
  if (refused === null) return null;
  return { ...refused, resumedAtSeconds: refused.resumedAtSeconds ?? null };
}

/** Whether it is so is unknown: what is open stays open. */
function unseen(kind: NotificationKind, key: string): Finding {
  return {
    kind,
    key,
    problem: key,
    subject: null,
    text: "",
    next: "",
    command: "",
    opens: false,
    waitSeconds: 0,
    state: "",
  };
}

/** A cluster that was only just configured has no snapshot for a moment. */
function missingSnapshot(
  word: Word,
  facts: Parameters<typeof problems.missingSnapshot>[0],
): readonly Finding[] {
  const { config, snapshot } = facts;
  const waitSeconds =
    snapshot === null && config !== undefined && !(config instanceof ConfigurationError)
      ? config.cycle.maxSnapshotAgeSeconds
      : 0;
  return word("stuck", problems.missingSnapshot(facts)).map((each) => ({
    ...each,
    key: "snapshot",
    waitSeconds,
  }));
}

interface Planned {
  readonly config: FoundConfig;
  readonly head: PlanHead | undefined;
  readonly demand: readonly DemandSummary[];
  readonly targets: readonly RequestSet[];
  readonly atSeconds: number;
}

/** A plan is due all the time in a busy cluster. It is missing when none comes for as long as a snapshot may be old. */
function missingPlan(word: Word, planned: Planned): readonly Finding[] {
  const { config, head } = planned;
  const why = whyDue(planned);
  if (why === undefined || config instanceof ConfigurationError) return [];
  const newest = head === undefined ? "None was ever made." : `The newest is of ${moment(head.atSeconds)}.`;
  const found = {
    gravity: "stopped",
    kind: "no-plan",
    text: `No plan is made although one is due: ${why}. ${newest}`,
    next: "Look for `settled` and `dead-letter` in the log: they show what planning fails with.",
  } as const;
  return word("stuck", [found]).map((each) => ({
    ...each,
    key: "plan",
    waitSeconds: config.cycle.maxSnapshotAgeSeconds,
    state: head?.planId ?? "none",
  }));
}

function whyDue({ head, demand, targets, atSeconds }: Planned): string | undefined {
  if (head === undefined) return "the cluster has a snapshot";
  const { demandSequences, targetRequests, nextDeadlineSeconds } = head;
  const source = demand.find((each) => demandSequences[each.source] !== each.sequence);
  if (source !== undefined) return `source "${source.source}" has demand that was not planned`;
  const set = targets.find((each) => targetRequests[each.requestSet] !== each.receivedAtSeconds);
  if (set !== undefined) return `request set "${set.requestSet}" was not planned`;
  return nextDeadlineSeconds !== null && nextDeadlineSeconds <= atSeconds
    ? "the time that the last plan gave has passed"
    : undefined;
}

/** A budget that is reached was near: that incident goes on, and does not begin if it never was seen. */
function budgetsIn(word: Word, spending: ClusterStatus["spending"]): readonly Finding[] {
  if (spending === null) return [];
  return spending.budgets.flatMap((budget) => {
    const subject = budget.of === null ? null : budget.name;
    const found = word("budget", budgets({ spending: { ...spending, budgets: [budget] } }), subject);
    const near = found
      .filter(({ problem }) => problem === "budget-reached")
      .map((each) => {
        const key = each.key.replace("budget-reached", "budget-near");
        return { ...each, key, problem: "budget-near", opens: false };
      });
    return [...found, ...near];
  });
}

const mostUsers = 20;

/** An incident for each user: it goes on while another of his jobs waits as long. */
function longWaits(
  word: Word,
  { config, head, atSeconds }: Pick<Planned, "config" | "head" | "atSeconds">,
): readonly Finding[] {
  if (config instanceof ConfigurationError || config.longWaitSeconds === undefined) return [];
  const { longWaitSeconds } = config;
  return (head?.longestWaits ?? [])
    .filter(({ sinceSeconds }) => atSeconds - sinceSeconds > longWaitSeconds)
    .slice(0, mostUsers)
    .flatMap(({ user, job, source, sinceSeconds }) => {
      const whose = user === null ? `of nobody that is named (source "${source}")` : `of ${user}`;
      const found = {
        gravity: "notice",
        kind: "long-wait",
        text: `A job ${whose} waits for more than ${exactDuration(longWaitSeconds)}: "${job}", for ${duration(atSeconds - sinceSeconds)}.`,
        next: `\`ccscale explain ${shellWord(job)}\` shows why, and what ends it.`,
      } as const;
      return word("long-wait", [found], user);
    });
}

function silent(word: Word, summary: DemandSummary, atSeconds: number): readonly Finding[] {
  const { source, jobs, expiresAtSeconds } = summary;
  if (source === unknownSource) return [];
  const demand = [{ source, jobs, expiresAtSeconds, expired: expiresAtSeconds <= atSeconds }];
  return word("source-silent", problems.expiredSources({ demand, atSeconds }), source);
}
