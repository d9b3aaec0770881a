import {
  type Amount,
  asideRows,
  type Book,
  type CostRow,
  costRows,
  costRowsByJob,
  type DayPage,
  daySeconds,
  hourSeconds,
  type JobTotal,
  linesByNode,
  monthStart,
  nothing,
  type Page,
  type Purpose,
  plus,
  settled,
  startOf,
  totalRow,
} from "../accounting/index.ts";
import type { CostAnswer, CostDimensionName, CostQuery, CostRowView } from "../api/index.ts";
import type { Period, Ports, Snapshot } from "../ports/index.ts";
import { moment } from "../text/moment.ts";
import type { Selected } from "./node-selection.ts";

/** Hours are kept for eight days; what is older is known by whole days. */
const hoursKeptSeconds = 7 * daySeconds;

type CostPorts = Pick<Ports, "accounts" | "clock" | "configs" | "snapshots">;

/** What the nodes of a cluster cost, and whom. Undefined for a cluster that is not configured. */
export async function drawUpCost(
  ports: CostPorts,
  cluster: string,
  query: CostQuery,
): Promise<Selected<CostAnswer> | undefined> {
  const atSeconds = ports.clock.nowSeconds();
  const asked = periodOf(query, atSeconds);
  const problems = [...problemsOf(query), ...problemsOfPeriod(asked, query.by, atSeconds)];
  if (problems.length > 0) return { ok: false, problems };
  const [stored, snapshot] = await Promise.all([ports.accounts.load(cluster), ports.snapshots.load(cluster)]);
  if (stored === undefined && (await ports.configs.load(cluster)) === undefined) return undefined;
  const coresOf = coresIn(snapshot?.value);
  const book = stored && settled(stored.value);
  const period = countedPeriod(asked, query.by, book?.asOfSeconds ?? atSeconds);
  const about = { cluster, period, book };
  const isByJob = query.by.includes("job");
  const days = isByJob || query.by.includes("node") ? await daysIn(ports.accounts, about) : undefined;
  const pages = days ?? (await pagesOf(ports, { ...about, byHour: query.by.includes("hour") }));
  const rows =
    days !== undefined && isByJob
      ? rowsByJob(days, { ...about, query }, coresOf)
      : costRows(
          days?.map((day) => ({ ...day, lines: linesByNode(day) })) ?? pages,
          query.by.filter((dimension) => dimension !== "job"),
          coresOf,
          query,
        );
  const isOfAll = (query.user ?? query.account ?? query.queue) === undefined;
  const aside = isOfAll ? asideRows(pages, query.by) : [];
  const total = totalRow(rows);
  const view = (row: CostRow) => viewOf(row, total.amount);
  return {
    ok: true,
    answer: {
      cluster,
      atSeconds,
      ...period,
      openedAtSeconds: book?.openedAtSeconds ?? null,
      by: query.by,
      rows: rows.map(view),
      total: view(total),
      notInTotal: aside.map(({ kind, name, keys, nodeMs, nanoUsd, unpricedNodeMs }) => ({
        kind,
        name,
        keys,
        usd: usd(nanoUsd),
        nodeHours: hours(nodeMs),
        unpricedNodeHours: hours(unpricedNodeMs),
      })),
    },
  };
}

/** Cores of the sizes that the cluster has now. */
export function coresIn(snapshot: Snapshot | undefined): (vmSize: string) => number | undefined {
  const cores = new Map(
    snapshot?.cluster.nodeArrays.flatMap(({ buckets }) =>
      buckets.map(({ vmSize, vm }) => [vmSize, vm.vcpuCount] as const),
    ),
  );
  return (vmSize) => cores.get(vmSize);
}

function periodOf({ by, from, until }: CostQuery, atSeconds: number): Period {
  const untilSeconds = Math.min(until ?? atSeconds, atSeconds);
  const usual = monthStart(untilSeconds);
  return {
    fromSeconds: from ?? (by.includes("hour") ? Math.max(usual, oldestHour(atSeconds)) : usual),
    untilSeconds,
  };
}

/** Hours count where they begin, runs of jobs by the day on which they ended, nodes by whole days; up to the newest snapshot. */
function countedPeriod(
  { fromSeconds: from, untilSeconds: until }: Period,
  by: readonly CostDimensionName[],
  newestSeconds: number,
): Period {
  const stepSeconds = by.includes("job") || by.includes("node") ? daySeconds : hourSeconds;
  const fromSeconds = startOf(from, stepSeconds);
  const untilSeconds = Math.min(Math.ceil(until / stepSeconds) * stepSeconds, newestSeconds);
  return { fromSeconds, untilSeconds: Math.max(fromSeconds, untilSeconds) };
}

/** From then on hours are kept. */
function oldestHour(atSeconds: number): number {
  return startOf(atSeconds - hoursKeptSeconds, daySeconds);
}

/** Of nodes neither hours are kept, nor whose jobs ran there. */
const besideNode: readonly CostDimensionName[] = ["node", "array", "size", "spot", "purpose", "day"];

function problemsOf({ by, user, account, queue }: CostQuery): readonly string[] {
  const repeated = by.find((dimension, index) => by.indexOf(dimension) !== index);
  if (repeated !== undefined) return [`by: "${repeated}" twice, expected each once`];
  const other = by.find((dimension) => !besideNode.includes(dimension));
  if (by.includes("node") && other !== undefined)
    return [`by: "${by.join(",")}", expected "node" beside array, size, spot, purpose and day alone`];
  if (by.includes("node") && (user ?? account ?? queue) !== undefined)
    return ['by: "node", expected without user, account and queue: jobs are not counted by node'];
  const beside = by.find((dimension) => !["job", "user", "account", "queue"].includes(dimension));
  return by.includes("job") && beside !== undefined
    ? [`by: "${by.join(",")}", expected "job" beside user, account and queue alone: a run has no ${beside}`]
    : [];
}

/** Hours, and a part of a day, are only known while hours are kept. */
function problemsOfPeriod(
  { fromSeconds, untilSeconds }: Period,
  by: readonly CostDimensionName[],
  atSeconds: number,
): readonly string[] {
  if (fromSeconds > untilSeconds)
    return [`from: ${moment(fromSeconds)}, expected a moment before ${moment(untilSeconds)}`];
  if (by.includes("hour") && fromSeconds < oldestHour(atSeconds))
    return [
      `from: ${moment(fromSeconds)}, expected ${moment(oldestHour(atSeconds))} or later by hour: hours are kept for 7 days`,
    ];
  const oldest = atSeconds - hoursKeptSeconds;
  return [
    { name: "from", at: fromSeconds },
    { name: "until", at: untilSeconds },
  ].flatMap(({ name, at }) =>
    at < oldest && at % daySeconds !== 0
      ? [`${name}: ${moment(at)}, expected the start of a day (00:00 UTC): hours are kept for 7 days`]
      : [],
  );
}

interface Asked {
  readonly cluster: string;
  readonly period: Period;
  readonly book: Book | undefined;
}

/** Whole days by their pages, the rest by hours; an hour counts where it begins. */
async function pagesOf(
  { accounts }: Pick<Ports, "accounts">,
  { cluster, period, book, byHour }: Asked & { readonly byHour: boolean },
): Promise<readonly Page[]> {
  const { fromSeconds, untilSeconds } = period;
  const firstDay = Math.ceil(fromSeconds / daySeconds) * daySeconds;
  const lastDay = Math.max(firstDay, Math.floor(untilSeconds / daySeconds) * daySeconds);
  const days = { fromSeconds: firstDay, untilSeconds: byHour ? firstDay : lastDay };
  const edges: readonly Period[] = [
    { fromSeconds, untilSeconds: Math.min(firstDay, untilSeconds) },
    { fromSeconds: days.untilSeconds, untilSeconds },
  ].filter((edge) => edge.fromSeconds < edge.untilSeconds);
  const inHours = await Promise.all(edges.map((edge) => hoursIn(accounts, { cluster, period: edge, book })));
  const inDays =
    days.fromSeconds < days.untilSeconds ? await daysIn(accounts, { cluster, period: days, book }) : [];
  return [...inDays, ...inHours.flat()].toSorted((a, b) => a.fromSeconds - b.fromSeconds);
}

async function hoursIn(
  accounts: Ports["accounts"],
  { cluster, period, book }: Asked,
): Promise<readonly Page[]> {
  const kept = await accounts.hours(cluster, period);
  return within([...kept, ...(book === undefined ? [] : [...book.closed.hours, book.hour])], period);
}

/** Pages of days that begin in the period, that of today included. */
export async function daysIn(
  accounts: Ports["accounts"],
  { cluster, period, book }: Asked,
): Promise<readonly DayPage[]> {
  const kept = await accounts.days(cluster, period);
  return within([...kept, ...(book === undefined ? [] : [...book.closed.days, book.day])], period);
}

/** What a record closed may be among the kept pages already, or not yet: the same page counts once. */
function within<T extends Page>(pages: readonly T[], { fromSeconds, untilSeconds }: Period): readonly T[] {
  const byStart = new Map(pages.map((page) => [page.fromSeconds, page]));
  return [...byStart.values()].filter(
    (page) => page.fromSeconds >= fromSeconds && page.fromSeconds < untilSeconds,
  );
}

/** Whole runs: those that ended on a day of the time, and those that run, when it reaches until now. */
function rowsByJob(
  days: readonly DayPage[],
  { period, book, query }: Asked & { readonly query: CostQuery },
  coresOf: (vmSize: string) => number | undefined,
): readonly CostRow[] {
  const reachesNow = book !== undefined && period.untilSeconds >= book.asOfSeconds;
  const runs: readonly JobTotal[] = [
    ...days.flatMap(({ jobs }) => jobs.dearest),
    ...(reachesNow ? book.running : []),
  ];
  return costRowsByJob(
    runs,
    days.map(({ jobs }) => jobs),
    coresOf,
    { by: query.by, owner: query },
  );
}

function viewOf({ keys, isOverhead, amount, byPurpose, coreMs }: CostRow, total: Amount): CostRowView {
  const usdOf = (purpose: Purpose) => usd((byPurpose[purpose] ?? nothing).nanoUsd);
  const share =
    total.nanoUsd > 0 ? amount.nanoUsd / total.nanoUsd : amount.nodeMs / Math.max(1, total.nodeMs);
  return {
    keys,
    isOverhead,
    usd: usd(amount.nanoUsd),
    share: Math.round(share * 10_000) / 10_000,
    nodeHours: hours(amount.nodeMs),
    unpricedNodeHours: hours(amount.unpricedNodeMs),
    coreHours: coreMs === null ? null : hours(coreMs),
    busyNodeHours: hours(plus(byPurpose.job ?? nothing, byPurpose.unused ?? nothing).nodeMs),
    runs: amount.runs,
    usdByPurpose: {
      job: usdOf("job"),
      unused: usdOf("unused"),
      boot: usdOf("boot"),
      idle: usdOf("idle"),
      drained: usdOf("drained"),
      kept: usdOf("kept"),
      failed: usdOf("failed"),
      ending: usdOf("ending"),
    },
  };
}

/** To a thousandth of a cent. */
export function usd(nano: number): number {
  return Math.round(nano / 1e4) / 1e5;
}

export function hours(ms: number): number {
  return Math.round(ms / 360) / 1e4;
}
