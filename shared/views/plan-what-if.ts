import { type AutoscaleAnswer, quoted, type WhatIfAnswer, type WhatIfAsked } from "../api/index.ts";
import { firstTargets, targetsInForce, type World, withSizing } from "../cycle/index.ts";
import { kindName, type PlacementPolicy, type Plan, sizesByKind } from "../engine/index.ts";
import type { RequestSet, SourceDemand } from "../ports/index.ts";
import { inMilliCents } from "../prices/index.ts";
import { counted } from "../text/text.ts";
import { additionsOf, beyond } from "./additions.ts";
import { decided, drawUpDemand } from "./draw-up-demand.ts";
import { explainOne } from "./explain/explain-job.ts";
import { limitSubject } from "./explain/limit-words.ts";
import { toTargetView } from "./explain/reason-words.ts";
import { type OutlookJob, outlookJobs } from "./job-states.ts";
import type { Selected } from "./node-selection.ts";
import { nodeViews } from "./node-views.ts";
import {
  changedWorld,
  extraSource,
  hiddenIn,
  isNamed,
  otherJobs,
  parseJobs,
  raisedWorld,
  refused,
} from "./other-world.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import { priceJobs } from "./price-jobs.ts";
import { waitingBehind } from "./waiting-behind.ts";

const mostExplained = 100;

/** The plan with extra jobs at the end of the queue, with a changed job, or under higher limits. Pure. */
export function whatIf(world: World, body: WhatIfAsked, nowSeconds: number): Selected<WhatIfAnswer> {
  const { jobs = [], limits = [], change, placement, brief = false, nodes } = body;
  const extra = extraDemand(world, jobs, nowSeconds);
  if (!extra.ok) return extra;
  const placed = placement === undefined ? world : placedBy(world, placement);
  const raised = raisedWorld(placed, limits, nowSeconds);
  if (!raised.ok) return raised;
  const changed = change === undefined ? undefined : changedWorld(raised.answer, change, nowSeconds);
  if (changed?.ok === false) return changed;
  // What only extra jobs add is counted under the placement that they get.
  const isOnlyExtra = change === undefined && limits.length === 0 && jobs.length > 0;
  const without = outlookOf(isOnlyExtra ? placed : world, nowSeconds);
  const outlook = outlookOf(changed?.answer.world ?? raised.answer, nowSeconds, extra.answer);
  const views = nodeViews(outlook);
  const all = outlookJobs(outlook);
  const added = all.filter(({ job }) => job.source === extraSource);
  const isChanged = changed === undefined ? () => false : isNamed(changed.answer);
  const after = all.find(isChanged);
  const before = outlookJobs(without).find(isChanged);
  if (change !== undefined && (after === undefined || before === undefined))
    return refused(`change.job: ${quoted(change.job)} counts for nothing now: its source is silent`);
  const more = {
    create: Math.max(0, created(outlook.plan) - created(without.plan)),
    start: Math.max(0, outlook.plan.start.length - without.plan.start.length),
    additions: [...beyond(additionsOf(outlook), additionsOf(without))],
    fewer: [...beyond(additionsOf(without), additionsOf(outlook))],
    waitingCount: added.filter(({ outcome }) => outcome.granted < outcome.asked).length,
    cost: priceJobs(outlook, after === undefined ? added : [after, ...added]),
    netUsdPerHour: netUsdPerHour(without, outlook),
    gone: [...goneIn(outlook)].filter((nodeId) => !goneIn(without).has(nodeId)).length,
  };
  const others = otherJobs(without, outlook, isChanged);
  const isInVain = limits.length > 0 && others.better === 0;
  // No plan has seen them, and none will.
  const explained = (each: OutlookJob) => ({ ...explainOne(outlook, each, views), planner: [] });
  const demand = drawUpDemand(outlook, nodes);
  if (!demand.ok) return demand;
  return {
    ok: true,
    answer: {
      ...demand.answer,
      ...(brief ? leftOut : {}),
      extra: added.slice(0, mostExplained).map(explained),
      more: { ...more, bindsNext: isInVain ? nextLimits(outlook) : [] },
      changed:
        after === undefined || before === undefined
          ? null
          : {
              before: explainOne(without, before),
              after: explained(after),
              costBefore: priceJobs(without, [before]),
            },
      others,
    },
  };
}

function goneIn({ plan }: Outlook): ReadonlySet<string> {
  return new Set(plan.retire.map(({ nodeId }) => nodeId));
}

/** What an hour of the new and started nodes costs, less that of those that go; what is the same in both plans cancels out. */
function netUsdPerHour(before: Outlook, after: Outlook): number | null {
  const counts = new Map<string, number>();
  const count = (outlook: Outlook, sign: 1 | -1) => {
    for (const each of additionsOf(outlook)) add(kindName(each), sign * each.count);
    const gone = goneIn(outlook);
    for (const node of outlook.snapshot.cluster.nodes) if (gone.has(node.nodeId)) add(kindName(node), -sign);
  };
  const add = (key: string, nodes: number) => counts.set(key, (counts.get(key) ?? 0) + nodes);
  count(after, 1);
  count(before, -1);
  const sizes = sizesByKind(after.input.cluster);
  let usd = 0;
  for (const [key, nodes] of counts) {
    const price = sizes.get(key)?.pricePerHourUsd ?? null;
    if (nodes !== 0 && price === null) return null;
    usd += nodes * (price ?? 0);
  }
  return inMilliCents(usd);
}

const mostNext = 3;

/** The limits that most cores wait for. */
function nextLimits(outlook: Outlook): WhatIfAnswer["more"]["bindsNext"] {
  return [...waitingBehind(outlook).values()]
    .toSorted((a, b) => b.cores - a.cores || b.jobs - a.jobs)
    .slice(0, mostNext)
    .map(({ figure: { limit, scope, unit }, jobs: waitingJobs, cores: waitingCores }) => {
      const behind = `${counted(waitingJobs, "jobs")} with ${counted(waitingCores, "cores")} ${waitingJobs === 1 ? "waits" : "wait"} behind it`;
      const text = `${limitSubject({ limit, scope, unit })} binds: ${behind}.`;
      return { limit, scope, unit, waitingJobs, waitingCores, text };
    });
}

/** The long lists of a plan; its counts stay. */
const leftOut = { create: [], sizes: [], start: [], retire: [], retry: [], waiting: [], nodes: [] };

/** Undefined without extra jobs. */
export function extraDemand(
  world: World,
  jobs: NonNullable<WhatIfAsked["jobs"]>,
  nowSeconds: number,
): Selected<SourceDemand | undefined> {
  const hidden = hiddenIn(jobs, "jobs");
  if (hidden.length > 0) return refused(...hidden);
  const parsed = parseJobs(
    world,
    jobs.map((job, index) => ({ name: `what-if-${index + 1}`, ...job })),
    nowSeconds,
  );
  if (!parsed.ok) return parsed;
  if (jobs.length === 0) return { ok: true, answer: undefined };
  return {
    ok: true,
    answer: {
      cluster: world.cluster,
      source: extraSource,
      sequence: 0,
      receivedAtSeconds: nowSeconds,
      expiresAtSeconds: Number.POSITIVE_INFINITY,
      jobs: parsed.answer,
      nodes: [],
      ignoredMessages: 0,
    },
  };
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
  const { history } = world.loaded;
  const known = { config: { cluster: wanted.cluster }, history, nowSeconds, past: world.past };
  const { targets, spares } = targetsInForce([wanted], known);
  const loaded = { ...world.loaded, targets: [...others, ...targets], spares };
  const { plan, made, held } = outlookOf({ ...world, loaded }, nowSeconds);
  return {
    held: held ?? null,
    met: firstTargets(plan).map((each) =>
      toTargetView(withSizing(each, spares), { backedOff: made.backedOff, nowSeconds }),
    ),
    more: {
      create: Math.max(0, created(plan) - created(without)),
      start: Math.max(0, plan.start.length - without.start.length),
    },
    ...decided(plan, made.backedOff, nowSeconds),
  };
}

function created({ create }: Plan): number {
  return create.reduce((sum, { count }) => sum + count, 0);
}
