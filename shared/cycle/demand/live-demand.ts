import { type Cluster, type Constraint, parseConstraints, shortHostname } from "../../engine/index.ts";
import type { DemandJob, DemandNode, SetAside } from "../../messages/index.ts";
import type { DemandSetAside, OutNode, SourceDemand } from "../../ports/index.ts";

/**
 * How long a silent source's running jobs count after its time to live: its scheduler host may be down while the jobs
 * still run. The time is limited, because the source may never return. An empty snapshot of the source ends it at once.
 */
export const longestSilenceSeconds = 86_400;

/** The jobs of one source that count now. */
export interface PresentDemand extends Pick<SourceDemand, "runTimes" | "sentAtSeconds"> {
  readonly source: string;
  readonly jobs: readonly DemandJob[];
  /** True: they stand in for jobs that could not be read, on the hosts where those run. They want no other nodes. */
  readonly standIns: boolean;
}

/** Present demand: all jobs of live sources, and the running jobs of silent ones, each sized to its hosts. */
export function presentDemand(demand: readonly SourceDemand[], nowSeconds: number): readonly PresentDemand[] {
  return demand.flatMap((each): PresentDemand[] => {
    const { source, jobs, setAside, expiresAtSeconds, runTimes, sentAtSeconds } = each;
    if (expiresAtSeconds + longestSilenceSeconds <= nowSeconds) return [];
    const isLive = expiresAtSeconds > nowSeconds;
    const counting = {
      source,
      jobs: isLive ? jobs : jobs.flatMap(runningPart),
      standIns: false,
      ...(runTimes === undefined || sentAtSeconds === undefined ? {} : { runTimes, sentAtSeconds }),
    };
    if (setAside === undefined) return [counting];
    return [counting, { source, jobs: standInsOf(setAside), standIns: true }];
  });
}

/** Returns the same list for the same demand, because `knownJobs` is keyed by the list. */
const knownStandIns = new WeakMap<DemandSetAside, readonly DemandJob[]>();

function standInsOf(setAside: DemandSetAside): readonly DemandJob[] {
  const knownJobs = knownStandIns.get(setAside);
  if (knownJobs !== undefined) return knownJobs;
  const jobs = setAside.items.flatMap(standIn);
  knownStandIns.set(setAside, jobs);
  return jobs;
}

/** The readable part of a running job: it has its hosts and waits for no more. */
function standIn({ index, name, running }: SetAside): DemandJob[] {
  if (running === undefined || running.hostnames.length === 0) return [];
  const { hostnames, constraints } = running;
  return [
    {
      name: name ?? `(job ${index}, set aside)`,
      constraints: constraints ?? [],
      iterations: hostnames.length,
      nodeCount: 0,
      colocated: false,
      // Its use of the node is not known, so nothing else is planned there.
      exclusive: constraints === undefined,
      executingHostnames: [...hostnames],
      priority: 0,
    },
  ];
}

function runningPart(job: DemandJob): DemandJob[] {
  const hosts = job.executingHostnames.length;
  if (hosts === 0) return [];
  return [job.nodeCount > 0 ? { ...job, nodeCount: hosts } : { ...job, iterations: hosts }];
}

/** Short names of hosts on which a job runs, or may still run. */
export function busyHostnames(demand: readonly SourceDemand[], nowSeconds: number): ReadonlySet<string> {
  return new Set(
    presentDemand(demand, nowSeconds).flatMap(({ jobs }) =>
      jobs.flatMap((job) => job.executingHostnames.map(shortHostname)),
    ),
  );
}

export function liveSources(demand: readonly SourceDemand[], nowSeconds: number): readonly SourceDemand[] {
  return demand.filter((source) => source.expiresAtSeconds > nowSeconds);
}

/**
 * Out for another reason than our events, such as a broken disk, and for an unknown time. A node that is out because of
 * an event can be undrained by another event when a job could use it.
 */
export function isOutByItself({ state = "up", eventAtSeconds }: DemandNode): boolean {
  return state !== "up" && eventAtSeconds === undefined;
}

/** Nodes that a live source reports as out for its own reasons, in the order of the snapshot, with those reasons. */
export function outNodesOf(
  { nodes }: Pick<Cluster, "nodes">,
  demand: readonly SourceDemand[],
  nowSeconds: number,
): readonly OutNode[] {
  const byHostname = new Map(
    liveSources(demand, nowSeconds).flatMap(({ source, nodes }) =>
      nodes.filter(isOutByItself).map(({ hostname, state, stateBy, stateReason, stateSince }) => {
        const sinceSeconds = stateSince === undefined ? null : Date.parse(stateSince) / 1000;
        const isHeld = state === "draining";
        const said = { source, by: stateBy ?? null, why: stateReason ?? null, sinceSeconds, isHeld };
        return [shortHostname(hostname), said] as const;
      }),
    ),
  );
  return nodes.flatMap(({ nodeId, hostname }) => {
    const said = hostname === null ? undefined : byHostname.get(shortHostname(hostname));
    return said === undefined ? [] : [{ nodeId, ...said }];
  });
}

/** Jobs may share their constraints, which are then read once. */
export function constraintsReader(): (json: unknown) => readonly Constraint[] {
  const parsedConstraints = new Map<unknown, readonly Constraint[]>();
  return (json) => {
    const before = parsedConstraints.get(json);
    if (before !== undefined) return before;
    const parsed = parseConstraints(json);
    // Only checked jobs are stored; if the rules have become stricter since, the job waits and reports why.
    const constraints: readonly Constraint[] = parsed.ok
      ? parsed.constraints
      : [{ kind: "never", message: "constraints cannot be read" }];
    parsedConstraints.set(json, constraints);
    return constraints;
  };
}
