import { quoted, raisableLimits, type WhatIfAnswer, type WhatIfAsked } from "../api/index.ts";
import { ownerCapName, type World } from "../cycle/index.ts";
import { type LimitFigure, type OwnerUse, raisedCaps, raisedCluster } from "../engine/index.ts";
import { InvariantError } from "../errors/errors.ts";
import { type DemandJob, parseDemand, wholly } from "../messages/index.ts";
import type { CapSettings } from "../ports/index.ts";
import { redacted, redactedIn } from "../text/redact.ts";
import { someOf } from "../text/text.ts";
import { firstSentences } from "./explain/first-sentence.ts";
import { type OutlookJob, outlookJobs } from "./job-states.ts";
import type { Selected } from "./node-selection.ts";
import { type Outlook, outlookOf } from "./outlook.ts";

/** The source that extra jobs are of: it posts nothing, and no queue is named after it. */
export const extraSource = "what-if";

export function refused(...problems: readonly string[]): {
  readonly ok: false;
  readonly problems: readonly string[];
} {
  return { ok: false, problems };
}

/** Reads jobs as a snapshot of a source has them, all or none. */
export function parseJobs(
  { cluster }: World,
  jobs: readonly unknown[],
  nowSeconds: number,
): Selected<readonly DemandJob[]> {
  const parsed = wholly(
    parseDemand({
      version: 1,
      kind: "snapshot",
      cluster,
      source: extraSource,
      sequence: 0,
      sentAt: new Date(nowSeconds * 1000).toISOString(),
      jobs,
    }),
  );
  if (!parsed.ok) return parsed;
  if (parsed.message.kind !== "snapshot") throw new InvariantError("A snapshot was parsed as something else");
  return { ok: true, answer: parsed.message.jobs };
}

const mostHidden = 10;

/** What of these values is `***`: whoever copied it from an answer does not know what stands there. */
export function hiddenIn(json: unknown, path: string): readonly string[] {
  return redactedIn(json, path)
    .slice(0, mostHidden)
    .map((each) => `${each}: "${redacted}" stands for a value that is not shown, expected the value itself`);
}

type Raised = NonNullable<WhatIfAsked["limits"]>[number];

/** The same world with higher limits of CycleCloud, Azure and the operator. */
export function raisedWorld(world: World, limits: readonly Raised[], nowSeconds: number): Selected<World> {
  if (limits.length === 0) return { ok: true, answer: world };
  const now = outlookOf(world, nowSeconds);
  const figures = now.buckets().flatMap((bucket) => bucket.limits);
  const owners = (now.plan.ownerUses ?? []).map(({ cap, owner }) => ({
    limit: cap,
    scope: owner,
    unit: "cores",
  }));
  const found = limits.map(({ limit, scope, unit }): LimitFigure | OwnerUse | undefined => {
    const owner = now.plan.ownerUses?.find((each) => each.cap === limit && each.owner === scope);
    if (owner !== undefined) return unit === "cores" ? owner : undefined;
    return figures.find((each) => each.limit === limit && each.scope === scope && each.unit === unit);
  });
  const problems = limits.flatMap(({ limit, scope, unit }, index) =>
    found[index] === undefined
      ? [
          `limits[${index}]: no limit ${quoted(`${limit} ${scope}`)} in ${unit}, expected one of ${limitsThereAre([...figures, ...owners], limit)}`,
        ]
      : [],
  );
  if (problems.length > 0) return refused(...problems);
  return {
    ok: true,
    answer: limits.reduce((raised, { more }, index) => {
      const figure = found[index];
      if (figure === undefined) return raised;
      return "owner" in figure ? ownerRaised(raised, figure, more) : raisedBy(raised, figure, more);
    }, world),
  };
}

const mostLimitsNamed = 12;

/** Those of the same kind first: the scope is what is misspelt most. */
function limitsThereAre(
  figures: readonly { readonly limit: string | null; readonly scope: string; readonly unit: string }[],
  kind: string,
): string {
  const raisable: readonly string[] = raisableLimits;
  const names = figures
    .filter(({ limit }) => limit !== null && raisable.includes(limit))
    .toSorted((a, b) => Number(b.limit === kind) - Number(a.limit === kind))
    .map(({ limit, scope, unit }) => `"${limit} ${scope}" in ${unit}`);
  return someOf([...new Set(names)], mostLimitsNamed);
}

/** One owner has more cores than the others. */
function ownerRaised(world: World, { cap, owner, maxCores }: OwnerUse, more: number): World {
  const { loaded } = world;
  const ownerCaps = loaded.ownerCaps?.map((each) =>
    ownerCapName[each.by] === cap
      ? { ...each, byName: { ...each.byName, [owner]: (each.byName[owner] ?? maxCores) + more } }
      : each,
  );
  return { ...world, loaded: { ...loaded, ...(ownerCaps !== undefined && { ownerCaps }) } };
}

function raisedBy(world: World, figure: LimitFigure, more: number): World {
  const { snapshot, config } = world;
  const { caps } = config.cycle;
  return {
    ...world,
    snapshot: { ...snapshot, cluster: raisedCluster(snapshot.cluster, figure, more) },
    ...(caps === undefined
      ? {}
      : { config: { ...config, cycle: { ...config.cycle, caps: raisedSettings(caps, figure, more) } } }),
  };
}

function raisedSettings(
  { monthlyBudgetUsd, ...caps }: CapSettings,
  figure: LimitFigure,
  more: number,
): CapSettings {
  const spendable = monthlyBudgetUsd === null ? null : { maxUsd: monthlyBudgetUsd, spentUsd: 0 };
  const { budget, ...raised } = raisedCaps({ ...caps, budget: spendable }, figure, more);
  return { ...raised, monthlyBudgetUsd: budget?.maxUsd ?? null };
}

type Change = NonNullable<WhatIfAsked["change"]>;

interface Named {
  readonly job: string;
  readonly source: string;
}

/** The same world in which one job that waits asks for something else. */
export function changedWorld(
  world: World,
  { job: name, source, with: other }: Change,
  nowSeconds: number,
): Selected<Named & { readonly world: World }> {
  const { demand } = world.loaded;
  const found = demand.flatMap((of) =>
    source === undefined || source === of.source
      ? of.jobs.filter((job) => job.name === name).map((job) => ({ of, job }))
      : [],
  );
  const [first, second] = found;
  if (first === undefined) {
    const whose = source === undefined ? "" : ` of source ${quoted(source)}`;
    return refused(`change.job: no job ${quoted(name)}${whose} is wanted`);
  }
  if (second !== undefined) {
    const sources = found.map(({ of }) => of.source).join(", ");
    return refused(`change.source: several sources have a job ${quoted(name)}, expected one of ${sources}`);
  }
  const { of, job } = first;
  if (job.executingHostnames.length > 0)
    return refused(`change.job: ${quoted(name)} runs already, expected a job that waits`);
  const hidden = hiddenIn(other, "change.with");
  if (hidden.length > 0) return refused(...hidden);
  const parsed = parseJobs(world, [{ ...job, ...other, name }], nowSeconds);
  if (!parsed.ok) return refused(...parsed.problems.map((each) => each.replace("jobs[0]", "change.with")));
  const [changed = job] = parsed.answer;
  const jobs = of.jobs.map((each) => (each === job ? changed : each));
  const loaded = {
    ...world.loaded,
    demand: demand.map((each) => (each === of ? { ...of, jobs } : each)),
  };
  return { ok: true, answer: { world: { ...world, loaded }, job: name, source: of.source } };
}

export function isNamed({ job: name, source }: Named): (each: OutlookJob) => boolean {
  return ({ job }) => job.name === name && job.source === source;
}

const mostOthers = 20;

/** Jobs of the queue that get more or less than without this. */
export function otherJobs(
  before: Outlook,
  after: Outlook,
  isChanged: (each: OutlookJob) => boolean,
): WhatIfAnswer["others"] {
  const keyOf = ({ job }: OutlookJob) => JSON.stringify([job.source, job.name]);
  const why = firstSentences(after);
  const granted = new Map(outlookJobs(before).map((each) => [keyOf(each), each.outcome.granted]));
  const different = outlookJobs(after).flatMap((each) => {
    const was = granted.get(keyOf(each));
    const { granted: is, asked } = each.outcome;
    if (was === undefined || was === is || isChanged(each)) return [];
    const { name: job, source } = each.job;
    return [{ job, source, asked, before: was, after: is, why: () => (is < was ? why(each) : null) }];
  });
  const better = different.filter((each) => each.after > each.before).length;
  const first = different.slice(0, mostOthers).map((each) => ({ ...each, why: each.why() }));
  return { better, worse: different.length - better, first };
}
