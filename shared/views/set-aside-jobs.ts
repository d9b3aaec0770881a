import type { JobView } from "../api/index.ts";
import { onceFor } from "../collections/once-for.ts";
import { isStandIn, presentDemand } from "../cycle/index.ts";
import type { SetAside } from "../messages/index.ts";
import type { SourceDemand } from "../ports/index.ts";
import { noDetails, type OutlookJob, outlookJobs } from "./job-states.ts";
import type { Outlook } from "./outlook.ts";

export interface SetAsideJob {
  readonly source: string;
  readonly item: SetAside;
  /** What keeps its nodes; undefined: it runs nowhere that can be read. */
  readonly standIn: OutlookJob | undefined;
}

/** Jobs that sources want, or run, and that do not check out: of live sources all, of silent ones those that run. */
export const setAsideJobs = onceFor((outlook: Outlook): readonly SetAsideJob[] => {
  const standIns = Map.groupBy(
    outlookJobs(outlook).filter(({ job }) => isStandIn(job)),
    ({ job }) => job.source,
  );
  return outlook.loaded.demand.flatMap((demand) => {
    const { source } = demand;
    const own = standIns.get(source)?.values();
    return itemsOf(demand, outlook.atSeconds).map((item) => ({
      source,
      item,
      standIn: hasHosts(item) ? own?.next().value : undefined,
    }));
  });
});

function itemsOf(demand: SourceDemand, atSeconds: number): readonly SetAside[] {
  const jobs = demand.setAside?.items.filter(({ kind }) => kind === "job") ?? [];
  if (demand.expiresAtSeconds > atSeconds) return jobs;
  return presentDemand([demand], atSeconds).length === 0 ? [] : jobs.filter(hasHosts);
}

function hasHosts({ running }: SetAside): boolean {
  return running !== undefined && running.hostnames.length > 0;
}

export function nameOf({ name, index }: SetAside): string {
  return name ?? `(job ${index})`;
}

export function whyAside({ problems }: SetAside): string {
  return problems.length === 0 ? "does not check out" : problems.join("; ");
}

export function setAsideView({ source, item, standIn }: SetAsideJob): JobView {
  const hosts = item.running?.hostnames.length ?? 0;
  const nodes = [...new Set(standIn?.outcome.placements.map(({ node }) => node))];
  return {
    job: nameOf(item),
    source,
    state: "set-aside",
    unit: "slots",
    asked: hosts,
    granted: hosts,
    nodes,
    nodeCount: nodes.length,
    priority: 0,
    submittedAtSeconds: null,
    startedAtSeconds: null,
    runtimeSeconds: null,
    interruptible: null,
    spot: null,
    ...noDetails,
    reasonCode: "SetAside",
    waitingReason: null,
    reason: whyAside(item),
    warnings: [],
  };
}
