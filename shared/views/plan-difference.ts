import type { PlanChange } from "../api/index.ts";
import type { Cluster, Plan, PlanInput } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";

/** What a plan decided, and from what. */
export type Decisions = Pick<Plan, "jobs" | "create" | "start" | "retire"> & {
  /** By path; a setting is what JSON says of it. */
  readonly settings: object;
  /** Where each job came from, in their order. Schedulers number their jobs alike. */
  readonly sources?: readonly (string | null)[];
  /** Left out: not compared. */
  readonly input?: Pick<PlanInput, "cluster" | "caps" | "targets"> | undefined;
};

/**
 * What differs between two plans, first what they decided: nodes that are created by array, size and placement group, nodes that
 * are started and retired, and jobs that wait; then from what: settings, caps, limits, targets, nodes that there were and jobs
 * that there were. Empty: they decided the same from the same.
 */
export function planDifference(before: Decisions, after: Decisions): readonly PlanChange[] {
  const of = (about: PlanChange["about"], facts: (decisions: Decisions) => Facts) =>
    changed(about, facts(before), facts(after));
  const isShared = sharedNames([before, after]);
  return [
    ...of("create", created),
    ...of("start", ({ start }) => new Map(start.map(({ name }) => [name, "yes"]))),
    ...of("retire", ({ retire }) => new Map(retire.map(({ name, cause }) => [name, cause]))),
    ...of("waiting", (decisions) => waiting(decisions, isShared)),
    ...of("setting", ({ settings }) => leaves(settings)),
    ...of("cap", ({ input }) => leaves(input?.caps)),
    ...of("limit", ({ input }) => limits(input?.cluster)),
    ...of("target", ({ input }) => targets(input?.targets ?? [])),
    ...of("node", ({ input }) => new Map(input?.cluster.nodes.map(({ name, status }) => [name, status]))),
    ...of("job", (decisions) => (decisions.input === undefined ? new Map() : wanted(decisions, isShared))),
  ];
}

type Facts = ReadonlyMap<string, string>;

/** What is there once only, and what is different. */
function changed(about: PlanChange["about"], before: Facts, after: Facts): readonly PlanChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const was = before.get(name) ?? null;
    const is = after.get(name) ?? null;
    return was === is ? [] : [{ about, name, before: was, after: is }];
  });
}

function limits(cluster: Cluster | undefined): Facts {
  if (cluster === undefined) return new Map();
  const { name, maxCount, maxCoreCount, nodeArrays } = cluster;
  const facts = new Map<string, string>();
  const note = (of: string, max: number, unit: string) =>
    facts.set(`${of} ${unit}`, max === Number.MAX_SAFE_INTEGER ? "unlimited" : String(max));
  note(`cluster ${name}`, maxCount, "nodes");
  note(`cluster ${name}`, maxCoreCount, "cores");
  for (const array of nodeArrays) {
    note(`node-array ${array.name}`, array.maxCount, "nodes");
    note(`node-array ${array.name}`, array.maxCoreCount, "cores");
    for (const { vmSize, vm, limits: of } of array.buckets) {
      note(`bucket ${array.name}/${vmSize}`, of.availableCount, "nodes still offered");
      note(`region ${array.location}${array.spot ? " spot" : ""}`, of.region.maxCores, "cores");
      if (!array.spot) note(`family ${array.location}/${vm.family}`, of.family.maxCores, "cores");
    }
  }
  return facts;
}

function targets(all: NonNullable<PlanInput["targets"]>): Facts {
  return new Map(all.map(({ requestSet, name, wish }) => [`${requestSet} ${name}`, JSON.stringify(wish)]));
}

/** Names that several sources have: only with their source they name one job. */
function sharedNames(all: readonly Decisions[]): (name: string) => boolean {
  const sourceOf = new Map<string, string | null>();
  const shared = new Set<string>();
  for (const { jobs, sources = [] } of all)
    jobs.forEach(({ name }, index) => {
      const source = sources[index] ?? null;
      if (sourceOf.has(name) && sourceOf.get(name) !== source) shared.add(name);
      sourceOf.set(name, source);
    });
  return (name) => shared.has(name);
}

type IsShared = ReturnType<typeof sharedNames>;

function labelled({ jobs, sources = [] }: Decisions, isShared: IsShared) {
  return jobs.map((job, index) => {
    const source = sources[index] ?? null;
    return { ...job, label: isShared(job.name) && source !== null ? `${job.name} (${source})` : job.name };
  });
}

/** Jobs that there were, by what they asked for. */
function wanted(decisions: Decisions, isShared: IsShared): Facts {
  return new Map(labelled(decisions, isShared).map(({ label, asked }) => [label, `asks for ${asked}`]));
}

/** How many nodes of each kind: names of new nodes differ from plan to plan. */
function created({ create }: Decisions): Facts {
  const counts = new Map<string, number>();
  for (const { nodeArray, vmSize, placementGroup, count } of create) {
    const bucket = [nodeArray, vmSize, ...(placementGroup === null ? [] : [placementGroup])].join(" ");
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  return new Map([...counts].map(([bucket, count]) => [bucket, String(count)]));
}

/** A job that both plans know, and one that only one of them knows, differ alike: by what it got. */
function waiting(decisions: Decisions, isShared: IsShared): Facts {
  return new Map(
    labelled(decisions, isShared).flatMap(({ label, asked, granted }) =>
      granted >= asked ? [] : [[label, `has ${granted} of ${asked}`] as const],
    ),
  );
}

function leaves(value: unknown, path = ""): Facts {
  if (!isDictionary(value)) return new Map(path === "" ? [] : [[path, JSON.stringify(value) ?? "none"]]);
  const inner = Object.entries(value).flatMap(([key, each]) => [
    ...leaves(each, path === "" ? key : `${path}.${key}`),
  ]);
  return new Map(inner);
}
