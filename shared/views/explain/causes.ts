import type { CauseView } from "../../api/index.ts";
import type { SourceDemand } from "../../ports/index.ts";
import { duration, exactDuration } from "../../text/durations.ts";
import { isUpNode, type OutlookJob, unitOf, waits } from "../job-states.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { cause, rounded } from "./cause.ts";
import { heldBy, staleness, withHolds } from "./held.ts";
import { isPlannedNode, onTheirWay } from "./on-their-way.ts";
import { setAsideCauses } from "./set-aside-cause.ts";
import { shortages } from "./shortages.ts";

/** Why a job has to wait: what is short, what stops the whole cluster, what is on its way. */
export function causesOf(outlook: Outlook, views: NodeViews, each: OutlookJob): readonly CauseView[] {
  const { job, outcome } = each;
  const isShort = waits(outcome);
  const names = [...new Set(outcome.placements.map(({ node }) => node))];
  const needsNodes = names.some((node) => isPlannedNode(outlook, node));
  const isComing = names.some((node) => !isUpNode(outlook.nodesByName.get(node)));
  // A job that runs has its node: no cause to show.
  const isRunning = job.executingHostnames.length > 0 && !isShort;
  const holds = isShort || needsNodes ? heldBy(outlook) : isComing ? staleness(outlook) : [];
  const short = [
    ...setAsideCauses(outlook, job),
    ...silentSource(outlook, job.source),
    ...(isShort && outcome.granted > 0 ? [partlyPlaced(each)] : []),
    ...(isShort ? shortages(outlook, views, each) : []),
  ];
  return [
    ...withHolds(holds, short),
    ...(isRunning || (isShort && outcome.granted === 0) ? [] : onTheirWay(outlook, views, names, job.source)),
  ];
}

function partlyPlaced({ job, outcome }: OutlookJob): CauseView {
  const { asked, granted } = outcome;
  return cause("partly-placed", {
    text: `${granted} of ${asked} ${unitOf(job)} have a place; ${asked - granted} wait for the reasons below.`,
    next: "The scheduler can start what has a place on nodes that are up; the rest gets its own as soon as there is room.",
    asked,
    left: granted,
  });
}

/** A source past its time to live: what waits there counts for nothing, what runs there is protected for a day. */
function silentSource(outlook: Outlook, source: string | null): readonly CauseView[] {
  const demand = outlook.loaded.demand.find((each) => each.source === source);
  return demand === undefined || demand.expiresAtSeconds > outlook.atSeconds
    ? []
    : [silence(outlook, demand)];
}

export function silence(
  { atSeconds }: Pick<Outlook, "atSeconds">,
  { source, expiresAtSeconds, receivedAtSeconds }: SourceDemand,
): CauseView {
  const silent = rounded(atSeconds - receivedAtSeconds);
  const ttl = rounded(expiresAtSeconds - receivedAtSeconds);
  return cause("source-expired", {
    text: `Source "${source}" has been silent for ${exactDuration(silent)}, expected a message within ${exactDuration(ttl)}: what waits there has not counted for ${duration(atSeconds - expiresAtSeconds)}, what ran keeps its nodes for a day.`,
    next: `See on the scheduler's host whether what posts the demand of "${source}" still runs (\`systemctl status ccscale-agent\`), and \`ccscale rejects list\`; its next message counts at once.`,
    asked: ttl,
    left: silent,
  });
}
