import type { CauseView } from "../../api/index.ts";
import { demandCapKey, limitNames, type Reason, type ReasonCode } from "../../engine/index.ts";
import { bucketLabel } from "../../names/bucket-words.ts";
import { exactDuration } from "../../text/durations.ts";
import { shellWord } from "../../text/shell-word.ts";
import { type OutlookJob, outlookJobs, waits } from "../job-states.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { budgetCause } from "./budget-cause.ts";
import { amount, cause, type Kind } from "./cause.ts";
import { drainedNodes } from "./drained-nodes.ts";
import { fullNodes, groupTooSmall, unusable } from "./full-nodes.ts";
import { ignoredNodes } from "./ignored-nodes.ts";
import { noCapacity } from "./limit-causes.ts";
import { limitWords } from "./limit-words.ts";
import { refusedEverywhere } from "./never.ts";
import { ownCondition } from "./own-condition.ts";
import { reasonSentence } from "./reason-words.ts";
import { spotOff } from "./spot-off.ts";
import { type Wanted, wantedBy } from "./what-is-wanted.ts";

/** Codes of refusals that say "not now" where every other says "not there". */
const notNow = [
  "NoCapacity",
  "OutOfCapacity",
  "NodesTakeNoJobs",
  "InvalidBucket",
  "PlacementGroupTooSmall",
  "CapacityFailureBackoff",
] as const satisfies readonly ReasonCode[];

interface Passing extends Reason {
  readonly code: (typeof notNow)[number];
}

function isPassing(reason: Reason): reason is Passing {
  return notNow.some((code) => code === reason.code);
}

/** What a job is short of: what passes, or is in somebody's hand, before what never fits. */
export function shortages(outlook: Outlook, views: NodeViews, each: OutlookJob): readonly CauseView[] {
  const { reasons } = each.outcome;
  const held = reasons.find(({ code }) => code === "DemandCapReached");
  if (held !== undefined) return [heldBack(held)];
  const spent = reasons.find(({ code }) => code === "BudgetSpent");
  if (spent !== undefined) return [budgetCause(outlook, spent)];
  if (reasons.some(({ code }) => code === "GangIncomplete")) return [gangIncomplete(outlook, each)];
  const passing = reasons.filter(isPassing);
  if (passing.length === 0) return [refusedEverywhere(outlook, reasons, each)];
  const wanted = wantedBy(each.job, each.outcome);
  const causes = distinct(passing).map((reason) => shortage(outlook, views, reason, wanted));
  return inOrder([
    ...spotOff(outlook, each),
    ...ownCondition(outlook, each, wanted),
    ...causes,
    ...ignoredNodes(outlook, passing),
  ]);
}

/** The part that finds no room says what it lacks. */
function gangIncomplete(outlook: Outlook, { job }: OutlookJob): CauseView {
  const lacking = outlookJobs(outlook).find(
    ({ job: { source, gang }, outcome }) =>
      source === job.source &&
      gang === job.gang &&
      waits(outcome) &&
      !outcome.reasons.some(({ code }) => code === "GangIncomplete"),
  );
  const name = lacking?.job.name ?? String(job.gang);
  return cause("gang-incomplete", {
    text: `It starts only together with all of gang "${job.gang}", in which "${name}" finds no room. Until then nothing is bought for any of them.`,
    next: `What is in the way: \`ccscale explain ${shellWord(name)}\`.`,
  });
}

/** It was not planned, so that nothing else is known of it. */
function heldBack(reason: Reason): CauseView {
  const { cap = "max-plan-checks", owner, asked, left } = reason;
  const key = demandCapKey(cap);
  const next =
    owner !== undefined
      ? `It goes on when jobs of "${owner}" end; or raise ${key} in autoscale.json and store it: \`ccscale config push FILE\`.`
      : cap === "max-plan-checks"
        ? `Send fewer jobs that exclude nodes, use wildcards or have alternatives, or raise ${key} in autoscale.json and store it: \`ccscale config push FILE\`.`
        : cap === "min-priority"
          ? `Give the job a higher priority, wait until the window of a schedule that sets ${key} is over (\`ccscale status\`), or lower it in autoscale.json: \`ccscale config push FILE\`.`
          : `Let the job ask for less, or raise ${key} in autoscale.json and store it: \`ccscale config push FILE\`.`;
  return cause("demand-cap", { text: reasonSentence(reason), next, limit: cap, asked, left });
}

/** Reports a limit of a whole VM size once, not for each of its placement groups. */
function distinct(reasons: readonly Passing[]): readonly Passing[] {
  const first = new Map<string, Passing>();
  for (const reason of reasons) {
    const { code, limit, bucket, left } = reason;
    const isOfSize = code === "NoCapacity" && limit !== "placement-group";
    const group = isOfSize ? null : bucket?.placementGroup;
    const key = JSON.stringify([code, limit, bucket?.nodeArray, bucket?.vmSize, group, left]);
    if (!first.has(key)) first.set(key, reason);
  }
  return [...first.values()];
}

/** Differs between sizes that one limit keeps out. */
const ofSize = /, a node takes [\d.,]+/;

/** Each once, by kind. Of sizes that one limit keeps out, the first in order of preference: raising it for that one is enough. */
export function inOrder(causes: readonly CauseView[]): readonly CauseView[] {
  const once = new Map<string, CauseView>();
  for (const each of causes) {
    const key = `${each.kind} ${each.limit} ${each.text.replace(ofSize, "")}`;
    if (!once.has(key)) once.set(key, each);
  }
  return [...once.values()].sort(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || Number(isAzures(a)) - Number(isAzures(b)),
  );
}

/** Whether only Azure can raise it, and not whoever runs the cluster. */
function isAzures({ limit }: CauseView): boolean {
  return limitNames.some((name) => name === limit && limitWords(name).isAzures === true);
}

/** First what whoever asks can do himself: change the job, take nodes back, raise what he has set. */
const order: readonly Kind[] = [
  "spot-off",
  "own-condition",
  "nodes-drained",
  "cap",
  "quota",
  "budget",
  "capacity-back-off",
  "boots-failing",
  "placement-group-too-small",
  "nodes-full",
  "nodes-ignored",
  "bucket-unusable",
];

function shortage(outlook: Outlook, views: NodeViews, reason: Passing, wanted: Wanted): CauseView {
  switch (reason.code) {
    case "PlacementGroupTooSmall":
      return groupTooSmall(outlook, reason);
    case "CapacityFailureBackoff":
      return ownBackOff(outlook, reason);
    case "InvalidBucket":
      return unusable(outlook, reason, wanted);
    case "OutOfCapacity":
      return fullNodes(outlook, reason, wanted);
    case "NodesTakeNoJobs":
      return drainedNodes(outlook, views, reason, wanted);
    case "NoCapacity":
      return noCapacity(outlook, views, reason, wanted);
  }
}

/** The job itself says how long after a failure of Azure it does not want the size. */
function ownBackOff({ atSeconds }: Outlook, { bucket, asked, left }: Reason): CauseView {
  const seconds = Math.max(0, amount(asked) - amount(left));
  return cause("capacity-back-off", {
    text: `Azure had no VM for ${bucketLabel(bucket)} ${exactDuration(amount(left))} ago, and the job wants that to be ${exactDuration(amount(asked))} ago: ${exactDuration(seconds)} to go.`,
    next: "It ends by itself; other sizes are tried meanwhile if the job allows them: `ccscale buckets`.",
    asked,
    left,
    untilSeconds: atSeconds + seconds,
  });
}
