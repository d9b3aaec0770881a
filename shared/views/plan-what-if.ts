import type { AutoscaleAnswer, WhatIfAnswer, WhatIfBody } from "../api/index.ts";
import { firstTargets, type World } from "../cycle/index.ts";
import type { PlacementPolicy, Plan } from "../engine/index.ts";
import { InvariantError } from "../errors.ts";
import { parseDemand, wholly } from "../messages/index.ts";
import type { RequestSet, SourceDemand } from "../ports/index.ts";
import { additionsOf, beyond } from "./additions.ts";
import { decided, drawUpDemand } from "./draw-up-demand.ts";
import { explainOne } from "./explain/explain-job.ts";
import { toTargetView } from "./explain/reason-words.ts";
import { outlookJobs } from "./job-states.ts";
import type { Selected } from "./node-selection.ts";
import { nodeViews } from "./node-views.ts";
import { outlookOf } from "./outlook.ts";
import { priceJobs } from "./price-jobs.ts";

/** The source that extra jobs are of: it posts nothing, and no queue is named after it. */
const extraSource = "what-if";
const mostExplained = 100;

/** The plan that would be made now if these jobs were at the end of the queue. Pure; nothing is recorded or sent. */
export function whatIf(world: World, body: WhatIfBody, nowSeconds: number): Selected<WhatIfAnswer> {
  const parsed = wholly(
    parseDemand({
      version: 1,
      kind: "snapshot",
      cluster: world.cluster,
      source: extraSource,
      sequence: 0,
      sentAt: new Date(nowSeconds * 1000).toISOString(),
      jobs: body.jobs.map((job, index) => ({ name: `what-if-${index + 1}`, ...job })),
    }),
  );
  if (!parsed.ok) return parsed;
  if (parsed.message.kind !== "snapshot") throw new InvariantError("A snapshot was parsed as something else");
  const extra: SourceDemand = {
    cluster: world.cluster,
    source: extraSource,
    sequence: 0,
    receivedAtSeconds: nowSeconds,
    expiresAtSeconds: Number.POSITIVE_INFINITY,
    jobs: parsed.message.jobs,
    nodes: [],
    ignoredMessages: 0,
  };
  const placed = body.placement === undefined ? world : placedBy(world, body.placement);
  const without = outlookOf(placed, nowSeconds);
  const outlook = outlookOf(placed, nowSeconds, extra);
  const views = nodeViews(outlook);
  const added = outlookJobs(outlook).filter(({ job }) => job.source === extraSource);
  const more = {
    create: Math.max(0, created(outlook.plan) - created(without.plan)),
    start: Math.max(0, outlook.plan.start.length - without.plan.start.length),
    additions: [...beyond(additionsOf(outlook), additionsOf(without))],
    waitingCount: added.filter(({ outcome }) => outcome.granted < outcome.asked).length,
    cost: priceJobs(outlook, added),
  };
  // No plan has seen them, and none will.
  const extras = added
    .slice(0, mostExplained)
    .map((each) => ({ ...explainOne(outlook, each, views), planner: [] }));
  const demand = drawUpDemand(outlook, body.nodes);
  return demand.ok ? { ok: true, answer: { ...demand.answer, extra: extras, more } } : demand;
}

/** The same world under another `placement`, in all node arrays. */
function placedBy(world: World, policy: PlacementPolicy): World {
  const { loaded } = world;
  const placement = { default: policy, byNodeArray: {} };
  return { ...world, loaded: { ...loaded, settings: { ...loaded.settings, placement } } };
}

type Forecast = NonNullable<AutoscaleAnswer["forecast"]>;

/** The plan that would be made now if a request set wanted this. Pure; nothing is recorded or sent. */
export function whatIfTargets(world: World, wanted: RequestSet, nowSeconds: number): Forecast {
  const others = world.loaded.targets.filter(({ requestSet }) => requestSet !== wanted.requestSet);
  const without = outlookOf(world, nowSeconds).plan;
  const loaded = { ...world.loaded, targets: [...others, wanted] };
  const { plan, made, held } = outlookOf({ ...world, loaded }, nowSeconds);
  return {
    held: held ?? null,
    met: firstTargets(plan).map((each) => toTargetView(each, { backedOff: made.backedOff, nowSeconds })),
    more: {
      create: Math.max(0, created(plan) - created(without)),
      start: Math.max(0, plan.start.length - without.start.length),
    },
    ...decided(plan, made.backedOff, nowSeconds),
  };
}

export function created({ create }: Plan): number {
  return create.reduce((sum, { count }) => sum + count, 0);
}
