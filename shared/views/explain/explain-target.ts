import type { TargetExplanation } from "../../api/index.ts";
import { toTargets, withSizing } from "../../cycle/index.ts";
import type { Target, TargetOutcome } from "../../engine/index.ts";
import { InvariantError } from "../../errors/errors.ts";
import type { RequestSet } from "../../ports/index.ts";
import { shellWord } from "../../text/shell-word.ts";
import { counted } from "../../text/text.ts";
import { isUpNode } from "../job-states.ts";
import { type NodeViews, nodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { toRefusal } from "./explain-job.ts";
import { causesOfTarget, expiry, type OutlookTarget } from "./of-target.ts";
import { targetTrail } from "./planner-trail.ts";
import { toSpareView } from "./reason-words.ts";

const mostNodes = 100;

export type ExplainTargetOutcome =
  | { readonly outcome: "explained"; readonly answer: TargetExplanation }
  /** No request set names such a target; those that they name. */
  | { readonly outcome: "unknown-target"; readonly names: readonly string[] }
  /** Several request sets do. */
  | { readonly outcome: "ambiguous"; readonly requestSets: readonly string[]; readonly next: string };

/** Why a target is not met, or what it has. */
export function explainTarget(outlook: Outlook, name: string, requestSet?: string): ExplainTargetOutcome {
  const sets = outlook.loaded.targets;
  const all = sets.flatMap((set) => allOf(set, outlook).map((target) => ({ set, target })));
  const found = all.filter(
    ({ target }) => target.name === name && (requestSet === undefined || target.requestSet === requestSet),
  );
  const isLive = ({ set }: { readonly set: RequestSet }) => set.expiresAtSeconds > outlook.atSeconds;
  // One that has expired is in nobody's way.
  const candidates = found.some(isLive) ? found.filter(isLive) : found;
  const [first, second] = candidates;
  if (first === undefined)
    return { outcome: "unknown-target", names: [...new Set(all.map(({ target }) => target.name))] };
  if (second !== undefined)
    return {
      outcome: "ambiguous",
      requestSets: candidates.map(({ set }) => set.requestSet),
      next: `Name one: \`ccscale explain --target ${shellWord(name)} --request-set ${shellWord(first.set.requestSet)}\`.`,
    };
  const answer = isLive(first) ? explainLive(outlook, first) : explainExpired(outlook, first);
  return { outcome: "explained", answer };
}

/** What a set asked for, whether it still holds or not. */
function allOf(set: RequestSet, { snapshot }: Outlook): readonly Target[] {
  return toTargets([set], { cluster: snapshot.cluster, nowSeconds: Number.NEGATIVE_INFINITY });
}

interface Asked {
  readonly set: RequestSet;
  readonly target: Target;
}

function explainLive(outlook: Outlook, { set, target }: Asked): TargetExplanation {
  const outcome = outlook.plan.targets.find(
    (each) => each.name === target.name && each.requestSet === target.requestSet,
  );
  if (outcome === undefined) throw new InvariantError(`The plan knows no target "${target.name}"`);
  const views = nodeViews(outlook);
  const nodes = outlook.plan.nodes
    .filter(({ targets = [] }) =>
      targets.some(({ name, requestSet }) => name === target.name && requestSet === target.requestSet),
    )
    .map(({ name }) => name);
  const each = { target, outcome, nodes };
  const causes = causesOfTarget(outlook, views, each);
  const isUp = (name: string) => isUpNode(outlook.nodesByName.get(name));
  const state = stateOf(outlook, each);
  const headline = `Target "${target.name}" of request set "${target.requestSet}" ${standing(state, outcome)}.`;
  const why = causes.find(({ kind }) => kind !== "partly-placed");
  return {
    ...aboutOf(outlook, { set, target }),
    asked: outcome.asked,
    granted: outcome.granted,
    groups: [...outcome.groups],
    spare: toSpareView(withSizing(outcome, outlook.loaded.spares ?? [])),
    state,
    headline,
    summary: why === undefined ? headline : `${headline} ${why.text}`,
    nodes: [...nodes.filter((name) => !isUp(name)), ...nodes.filter(isUp)]
      .slice(0, mostNodes)
      .map((name) => toNode(outlook, views, name)),
    nodeCount: nodes.length,
    causes: [...causes],
    refusals: outcome.reasons.map(toRefusal),
    planner: [...targetTrail(outlook, { nodes, target: outcome, receivedAtSeconds: set.receivedAtSeconds })],
  };
}

function stateOf({ nodesByName }: Outlook, { outcome, nodes }: OutlookTarget): TargetExplanation["state"] {
  if (outcome.granted < outcome.asked) return outcome.granted > 0 ? "partly" : "waiting";
  return nodes.every((name) => isUpNode(nodesByName.get(name))) ? "met" : "booting";
}

function standing(state: TargetExplanation["state"], { asked, granted, unit }: TargetOutcome): string {
  const all = counted(asked, unit);
  switch (state) {
    case "met":
      return asked === 0 ? "asks for nothing: nodes that nobody else needs may go" : `has all of ${all}`;
    case "booting":
      return `has all of ${all} there or on their way`;
    case "partly":
    case "waiting":
    case "expired":
      return `has ${granted} of ${all}`;
  }
}

function toNode({ nodesByName }: Outlook, { viewOfPlanned }: NodeViews, name: string) {
  const node = nodesByName.get(name);
  const view = node && viewOfPlanned(node);
  const { origin = "existing", state = null, expectedReadySeconds = null } = view ?? {};
  return { node: name, origin, state, expectedReadySeconds };
}

function explainExpired(outlook: Outlook, asked: Asked): TargetExplanation {
  const { target, set } = asked;
  const cause = expiry(set, outlook.atSeconds);
  const headline = `Target "${target.name}" of request set "${target.requestSet}" counts for nothing now.`;
  return {
    ...aboutOf(outlook, asked),
    asked: target.wish.count,
    granted: 0,
    groups: [],
    spare: null,
    state: "expired",
    headline,
    summary: `${headline} ${cause.text}`,
    nodes: [],
    nodeCount: 0,
    causes: [cause],
    refusals: [],
    planner: [],
  };
}

function aboutOf({ cluster, atSeconds }: Outlook, { set, target }: Asked) {
  const { source, receivedAtSeconds, expiresAtSeconds, ignoredMessages } = set;
  const { name, nodeArray, dynamicArray, requestSet, wish } = target;
  return {
    cluster,
    atSeconds,
    target: name,
    nodeArray,
    dynamicArray,
    requestSet,
    unit: wish.kind,
    source,
    receivedAtSeconds,
    expiresAtSeconds,
    lasting: set.isLasting === true,
    ignoredRequests: ignoredMessages,
  };
}
