import { type Amount, type Book, type JobTotal, jobKey, settled, totalOf } from "../accounting/index.ts";
import type { HistoryAnswer, JobCostAnswer, JobRunView } from "../api/index.ts";
import type { Period, Ports, Snapshot } from "../ports/index.ts";
import { coresIn, daysIn, hours, usd } from "./draw-up-cost.ts";

const mostRuns = 100;
const mostNodes = 100;

/** What a job has cost until now: its runs, the newest first, for all its sources. Undefined: the cluster is not configured. */
export async function drawUpJobCost(
  ports: Pick<Ports, "accounts" | "clock" | "configs" | "demand" | "snapshots">,
  cluster: string,
  job: { readonly name: string; readonly source?: string | undefined },
): Promise<JobCostAnswer | undefined> {
  const { accounts } = ports;
  const [stored, snapshot] = await Promise.all([accounts.load(cluster), ports.snapshots.load(cluster)]);
  if (stored === undefined && (await ports.configs.load(cluster)) === undefined) return undefined;
  const book = stored && settled(stored.value);
  const sources = job.source === undefined ? await sourcesOf(ports, cluster, book) : [job.source];
  const found = await Promise.all(
    sources.map(async (source) => {
      const key = jobKey(source, job.name);
      const isOfJob = (run: JobTotal) => run.key === key;
      const running = book?.running.filter(isOfJob) ?? [];
      // What the record closed may be among the kept runs already, or not yet.
      const closed = book?.closed.jobs.filter(isOfJob) ?? [];
      const kept = await accounts.runs(cluster, { source, name: job.name }, mostRuns);
      const ended = new Map([...kept, ...closed].map((run) => [run.firstSeconds, run]));
      return [
        ...running.map((run) => ({ run, isRunning: true })),
        ...[...ended.values()].map((run) => ({ run, isRunning: false })),
      ];
    }),
  );
  const runs = found.flat().toSorted((a, b) => b.run.firstSeconds - a.run.firstSeconds);
  const shown = runs.slice(0, mostRuns);
  const coresOf = coresIn(snapshot?.value);
  const views = shown.map(({ run, isRunning }) => ({
    ...viewOf(run, coresOf),
    isRunning,
    nodes: isRunning ? nodesOf(run.key, book, snapshot?.value) : (run.nodes ?? []),
  }));
  const coreHours = views.every((view) => view.coreHours !== null)
    ? views.reduce((sum, view) => sum + (view.coreHours ?? 0), 0)
    : null;
  return {
    cluster,
    atSeconds: ports.clock.nowSeconds(),
    job: job.name,
    untilSeconds: book?.asOfSeconds ?? null,
    runs: views,
    total: { ...amountView(totalOf(shown.map(({ run }) => run))), coreHours },
  };
}

/** What ran on nodes of these names, the newest first: all that runs, and of each day the dearest jobs that ended. */
export async function runsOn(
  accounts: Ports["accounts"],
  cluster: string,
  { names, period }: { readonly names: ReadonlySet<string>; readonly period: Period },
): Promise<HistoryAnswer["runs"]> {
  const book = (await accounts.load(cluster))?.value;
  const there = book?.nodes.filter(({ nodeId, name = nodeId }) => names.has(name)) ?? [];
  const keys = new Set(there.flatMap(({ jobs }) => jobs.map(({ key }) => key)));
  const running = book?.running.filter(({ key }) => keys.has(key)) ?? [];
  const days = await daysIn(accounts, { cluster, period, book });
  const ended = days
    .flatMap(({ jobs }) => jobs.dearest)
    .filter(({ nodes = [] }) => nodes.some((name) => names.has(name)));
  return [
    ...running.map((run) => ({ ...run, isRunning: true, lastSeconds: book?.asOfSeconds ?? run.lastSeconds })),
    ...ended.map((run) => ({ ...run, isRunning: false })),
  ]
    .toSorted((a, b) => b.firstSeconds - a.firstSeconds)
    .slice(0, mostRuns)
    .map(({ name, source, isRunning, firstSeconds, lastSeconds }) => ({
      job: name,
      source,
      isRunning,
      fromSeconds: firstSeconds,
      untilSeconds: lastSeconds,
    }));
}

/** Sources that run something, and those whose demand is known. */
async function sourcesOf(
  { demand }: Pick<Ports, "demand">,
  cluster: string,
  book: Book | undefined,
): Promise<readonly string[]> {
  const summaries = await demand.summaries(cluster);
  const running = book?.running.map(({ source }) => source) ?? [];
  return [...new Set([...summaries.map(({ source }) => source), ...running])];
}

function viewOf(
  run: JobTotal,
  coresOf: (vmSize: string) => number | undefined,
): Omit<JobRunView, "isRunning" | "nodes"> {
  const { source, user, account, queue, spot, nodeArray: array, vmSize: size } = run;
  const { firstSeconds: fromSeconds, lastSeconds: untilSeconds, submittedSeconds = null } = run;
  const cores = run.nodeMs === 0 ? 0 : coresOf(size);
  return {
    source,
    submittedSeconds,
    fromSeconds,
    untilSeconds,
    array,
    size,
    spot,
    user,
    account,
    queue,
    ...amountView(run),
    coreHours: cores === undefined ? null : hours(run.nodeMs * cores),
  };
}

function amountView({ nanoUsd, nodeMs, unpricedNodeMs }: Amount) {
  return { usd: usd(nanoUsd), nodeHours: hours(nodeMs), unpricedNodeHours: hours(unpricedNodeMs) };
}

function nodesOf(key: string, book: Book | undefined, snapshot: Snapshot | undefined): string[] {
  const names = new Map(snapshot?.cluster.nodes.map(({ nodeId, name }) => [nodeId, name]));
  const nodes = book?.nodes.filter(({ jobs }) => jobs.some((job) => job.key === key)) ?? [];
  return nodes.slice(0, mostNodes).map(({ nodeId }) => names.get(nodeId) ?? nodeId);
}
