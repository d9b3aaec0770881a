import type { CauseView } from "../../api/index.ts";
import { liveSources } from "../../cycle/index.ts";
import { failedNodePolicy, forNodeArray, type PlannedNode, shortHostname } from "../../engine/index.ts";
import { duration, exactDuration } from "../../text/durations.ts";
import { printableCut, someOf } from "../../text/text.ts";
import { failedFate } from "../failed-nodes.ts";
import { isUpNode } from "../job-states.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { actingOn, cause, selecting } from "./cause.ts";

export function isPlannedNode({ nodesByName }: Outlook, node: string): boolean {
  const origin = nodesByName.get(node)?.origin;
  return origin === "new" || origin === "starting";
}

/** What keeps nodes, on which something has a place, from taking it now. `source`: the scheduler whose job it is. */
export function onTheirWay(
  outlook: Outlook,
  views: NodeViews,
  names: readonly string[],
  source: string | null,
): readonly CauseView[] {
  const { nodesByName } = outlook;
  const missing = names.filter((name) => !isUpNode(nodesByName.get(name)));
  const planned = missing.filter((name) => isPlannedNode(outlook, name));
  const failed = missing.filter((name) => nodesByName.get(name)?.status === "Failed");
  const coming = missing.filter((name) => !planned.includes(name) && !failed.includes(name));
  const up = names.length - missing.length;
  const about = { outlook, views, total: names.length, up };
  return [
    ...(failed.length === 0 ? [] : [failing(about, failed)]),
    ...(coming.length === 0 ? [] : [booting(about, coming)]),
    ...(planned.length === 0 ? [] : [notPlannedYet(about, planned)]),
    ...takenBack(about, names),
    ...notJoined(about, names, source),
  ];
}

interface About {
  readonly outlook: Outlook;
  readonly views: NodeViews;
  /** The number of nodes that are needed, and how many of them are up. */
  readonly total: number;
  readonly up: number;
}

const longestSaid = 160;

/** Only in scalelib compatibility, or where the scheduler runs the job there: nowhere else is a job on a failed node. */
function failing({ outlook, total, up }: About, failed: readonly string[]): CauseView {
  const { failedNodeRetries } = outlook.config.cycle;
  const policy = failedNodePolicy(outlook.input.settings);
  const ids = new Set(failed.map((name) => outlook.nodesByName.get(name)?.nodeId ?? null));
  const retried = (outlook.head?.troubled ?? []).filter(({ nodeId }) => ids.has(nodeId));
  const said = outlook.snapshot.cluster.nodes.find(
    ({ nodeId, statusMessage }) => ids.has(nodeId) && statusMessage !== undefined,
  );
  const why =
    said?.statusMessage === undefined
      ? ""
      : ` CycleCloud says of ${said.name}: "${printableCut(said.statusMessage, longestSaid)}".`;
  return cause("nodes-failed", {
    text: `Failed: ${failed.length} of ${total} nodes (${someOf(failed)})${policy === "retry" ? `; retries until now: ${retried.length}, at most ${failedNodeRetries} a node` : ""}.${why}`,
    next:
      policy === "retry"
        ? `${failedFate(outlook.config)}Why they failed: \`ccscale history ${failed[0]}\`, and CycleCloud's messages.`
        : `${failedFate(outlook.config)}\`ccscale retry-failed\` or ${actingOn("delete-nodes", failed)}.`,
    asked: total,
    left: up,
  });
}

function booting({ outlook, views, total, up }: About, coming: readonly string[]): CauseView {
  const { atSeconds, nodesByName, input } = outlook;
  const expected = coming.map((name) => {
    const node = nodesByName.get(name);
    return node === undefined ? null : views.viewOfPlanned(node).expectedReadySeconds;
  });
  const last = expected.includes(null) ? null : Math.max(...expected.map((each) => each ?? 0));
  const isLate = last !== null && last <= atSeconds;
  const timeouts = coming.flatMap((name) => nodesByName.get(name)?.nodeArray ?? []);
  const timeout = Math.max(
    ...timeouts.map((array) => forNodeArray(input.settings.bootTimeoutSeconds, array)),
  );
  const when =
    last === null
      ? "; what boots take there is not known yet"
      : isLate
        ? `; they should have been ready ${duration(atSeconds - last)} ago, by what earlier boots took`
        : `; they should be ready in ${duration(last - atSeconds)}, by what earlier boots took`;
  return cause("booting", {
    text: `Booting: ${coming.length} of ${total} nodes (${someOf(coming)})${when}.`,
    next: `Wait for them; a node that is not up after ${exactDuration(timeout)} is deleted and bought again. How far they are: \`ccscale nodes ${selecting(coming)}\`.`,
    asked: total,
    left: up,
    untilSeconds: isLate ? null : last,
  });
}

function notPlannedYet({ outlook, total, up }: About, planned: readonly string[]): CauseView {
  return cause("not-planned-yet", {
    text: `Created or started by the next plan: ${planned.length} of ${total} nodes.`,
    next:
      outlook.held === undefined
        ? nextPlan(outlook)
        : "It is not sent before what holds the cluster is gone.",
    asked: total,
    left: up,
  });
}

/** What is further ahead is no answer to "when". */
const soonSeconds = 600;

/** Plans are asked for as soon as something changes; by the clock alone, at the time that the newest plan set. */
function nextPlan({ head, atSeconds }: Outlook): string {
  const inSeconds = (head?.nextDeadlineSeconds ?? atSeconds) - atSeconds;
  const clock =
    inSeconds > 0 && inSeconds <= soonSeconds ? `, in ${duration(inSeconds)} by the clock alone` : "";
  return `Wait for the next plan, within seconds of any change${clock}: \`ccscale plans\`.`;
}

/** Up, and its scheduler starts nothing there before it has taken the node back from a drain. */
function takenBack({ outlook, total }: About, names: readonly string[]): readonly CauseView[] {
  const ids = new Set(names.flatMap((name) => outlook.nodesByName.get(name)?.nodeId ?? []));
  const back = outlook.made.draining.filter(({ nodeId, phase }) => phase === "undraining" && ids.has(nodeId));
  const [first] = back;
  if (first === undefined) return [];
  return [
    cause("nodes-undraining", {
      text: `Being taken back from a drain: ${back.length} of ${total} nodes (${someOf(back.map(({ name }) => name))}), for ${duration(outlook.atSeconds - first.sinceSeconds)} now: their scheduler starts nothing there yet.`,
      next: "Check that the scheduler's agent runs and receives events; the request is repeated every 30s.",
      asked: total,
      left: total - back.length,
    }),
  ];
}

/** Ready to CycleCloud, and not among the hosts that the job's scheduler lists, which lists others. */
function notJoined(
  { outlook, total }: About,
  names: readonly string[],
  source: string | null,
): readonly CauseView[] {
  const demand = liveSources(outlook.loaded.demand, outlook.atSeconds).find((each) => each.source === source);
  if (demand === undefined || demand.nodes.length === 0) return [];
  const listed = new Set(demand.nodes.map(({ hostname }) => shortHostname(hostname)));
  const isMissing = (node: PlannedNode | undefined): boolean =>
    isUpNode(node) &&
    node?.origin === "existing" &&
    (node.hostname === null || !listed.has(shortHostname(node.hostname)));
  const missing = names.filter((name) => isMissing(outlook.nodesByName.get(name)));
  if (missing.length === 0) return [];
  return [
    cause("not-joined", {
      text: `Up, and not listed by "${source}": ${missing.length} of ${total} nodes (${someOf(missing)}). They have not joined their scheduler.`,
      next: "See whether the scheduler's daemon runs there and its agent heard node-joined; a node that stays so is of no use to the job.",
      asked: total,
      left: total - missing.length,
    }),
  ];
}
