import { Command } from "commander";
import type { ClusterStatus } from "../../../shared/api/index.ts";
import { counted, joined } from "../../../shared/text/text.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { reasonsOf } from "../output/decided.ts";
import { decidedNodesOn } from "../output/decided-nodes.ts";
import { ago, moment } from "../output/moments.ts";
import { reportOption } from "../output/output-options.ts";
import { prettyJson } from "../output/print.ts";
import { type Page, pageOn } from "../output/report.ts";
import { spotInWords } from "../output/spot-words.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale status`: a cluster on one screen. */
export function statusCommand(terminal: Terminal): Command {
  const command = new Command("status")
    .description("Shows a cluster on one screen, problems first.")
    .action((flags: LookFlags) => look(terminal, flags, (looking) => showStatus(looking, flags)));
  return lookOptions(command).addOption(reportOption());
}

async function showStatus({ terminal, service, settings }: Looking, flags: LookFlags): Promise<void> {
  const status: ClusterStatus = await service.ask("status");
  if ((flags.format ?? settings.format) === "json") terminal.stdout.write(prettyJson(status));
  else statusOn(pageOn(terminal), status);
}

const mostDraining = 8;
const mostOperations = 5;
const mostWaiting = 5;
const mostSizeSentences = 4;
const mostRejections = 3;

/** A cluster on one screen: problems, ages, nodes, demand, open operations, waiting jobs. */
function statusOn(page: Page, status: ClusterStatus): void {
  const { problems } = status;
  for (const [at, { gravity, kind, text, next }] of problems.entries()) {
    page.warning(`${gravity.toUpperCase()}: ${text}`);
    // Of problems of one kind the advice is the same: once, under the last of them.
    if (problems[at + 1]?.kind !== kind) page.line(`  ${next}`);
  }
  if (problems.length === 0) page.line("No problems.");
  page.line("");
  page.facts(headlines(status));
  costOn(page, status);
  budgetsOn(page, status);
  demandOn(page, status);
  targetsOn(page, status);
  drainingOn(page, status);
  rollingOn(page, status);
  decidedNodesOn(page, status);
  operationsOn(page, status);
  sizesOn(page, status);
  waitingOn(page, status);
  rejectionsOn(page, status);
}

function headlines(status: ClusterStatus): readonly (readonly [string, string | null])[] {
  const { cluster, atSeconds, snapshot, nodes, plans, openOperations, nextDeadlineSeconds } = status;
  const [plan] = plans;
  const states = Object.entries(nodes).map(([state, count]) => `${count} ${state}`);
  const total = Object.values(nodes).reduce((sum, count) => sum + count, 0);
  const decided = plan && `create ${plan.create}, start ${plan.start}, delete ${plan.retire}`;
  return [
    ["cluster", cluster],
    ["snapshot", snapshot === null ? "never taken" : ago(snapshot.takenAtSeconds, atSeconds)],
    [
      "last plan",
      plan === undefined ? "none yet" : `${ago(plan.atSeconds, atSeconds)} (${plan.reason}): ${decided}`,
    ],
    ["held", plan?.held ?? null],
    ["next by the clock", nextDeadlineSeconds === null ? null : due(nextDeadlineSeconds, atSeconds)],
    ["nodes", total === 0 ? "none" : `${total}: ${states.join(", ")}`],
    ["jobs", plan === undefined || plan.jobs === 0 ? null : jobsInWords(plan)],
    ["cost", status.spending === null ? null : costInWords(status.spending)],
    ["last 24h", status.utilisation === null ? null : usedInWords(status.utilisation)],
    ["spot", status.spot === null ? null : spotInWords(status.spot, atSeconds)],
    ["open operations", String(openOperations)],
  ];
}

/** As of the newest plan. */
function jobsInWords({ jobs, placedJobs }: ClusterStatus["plans"][number]): string {
  return `${jobs}: ${placedJobs} placed, ${jobs - placedJobs} waiting`;
}

function costInWords(spending: NonNullable<ClusterStatus["spending"]>): string {
  const { usdPerHour, unpricedNodes, reservedNodes, pricesAsOfSeconds, reckonedSinceSeconds } = spending;
  return [
    `${usdPerHour.toFixed(2)} USD an hour`,
    ...(reservedNodes === 0 ? [] : [`${counted(reservedNodes, "nodes")} reserved`]),
    ...(unpricedNodes === 0 ? [] : [`${counted(unpricedNodes, "nodes")} without a known price`]),
    ...(pricesAsOfSeconds === null ? [] : [`list prices of ${dateOf(pricesAsOfSeconds)}`]),
    ...(reckonedSinceSeconds === null ? [] : ["reckoned, the accounts cannot be read"]),
  ].join(", ");
}

const mostArrays = 8;
const mostBudgets = 8;

/** What it cost, and will cost; the dearest arrays by name. */
function costOn(page: Page, { spending }: ClusterStatus): void {
  if (spending === null || (spending.monthUsd === 0 && spending.usdPerHour === 0)) return;
  page.title("Cost");
  const row = (name: string, sums: Sums) => [
    name,
    ...[sums.hourUsd, sums.dayUsd, sums.monthUsd, sums.forecastUsd].map((usd) => usd.toFixed(2)),
  ];
  const arrays = spending.nodeArrays.map((sums) => row(sums.nodeArray, sums));
  page.table(
    ["NODE ARRAY", "THIS HOUR", "TODAY", spending.month, "FORECAST"],
    [...arrays.slice(0, mostArrays), row("all", spending)],
  );
  if (arrays.length > mostArrays)
    page.line(`… and ${arrays.length - mostArrays} more: "ccscale cost --by array"`);
}

type Sums = Pick<NonNullable<ClusterStatus["spending"]>, "hourUsd" | "dayUsd" | "monthUsd" | "forecastUsd">;

/** The most spent ones first. */
function budgetsOn(page: Page, { spending }: ClusterStatus): void {
  const budgets = spending?.budgets ?? [];
  if (budgets.length === 0) return;
  page.title("Budgets");
  const shareOf = ({ spentUsd, limitUsd }: (typeof budgets)[number]) => spentUsd / limitUsd;
  const rows = budgets
    .toSorted((a, b) => shareOf(b) - shareOf(a))
    .slice(0, mostBudgets)
    .map((budget) => [
      budget.name,
      budget.spentUsd.toFixed(2),
      budget.limitUsd.toFixed(2),
      `${Math.floor(shareOf(budget) * 100)}%`,
      budget.period,
      stateOf(budget),
    ]);
  page.table(["BUDGET", "SPENT", "OF", "SHARE", "PERIOD", "STATE"], rows);
  if (budgets.length > mostBudgets) page.line(`… and ${budgets.length - mostBudgets} more`);
}

function stateOf({ level, hold }: NonNullable<ClusterStatus["spending"]>["budgets"][number]): string {
  return level === "reached" && hold ? "reached: holds" : level;
}

function dateOf(seconds: number): string {
  return moment(seconds).slice(0, "2026-11-22".length);
}

/** In which state nodes spent their time; null: there were none. */
function usedInWords(used: NonNullable<ClusterStatus["utilisation"]>): string | null {
  const parts: readonly (readonly [string, number])[] = [
    ["busy", used.busyNodeHours],
    ["idle", used.idleNodeHours],
    ["booting", used.bootNodeHours],
    ["failed", used.failedNodeHours],
    ["other", used.otherNodeHours],
  ];
  const total = parts.reduce((sum, [, hours]) => sum + hours, 0);
  if (total === 0) return null;
  const shares = parts
    .filter(([, hours]) => hours > 0)
    .map(([name, hours]) => `${((100 * hours) / total).toFixed(0)} % ${name}`);
  return `${shares.join(", ")} of ${total.toFixed(1)} node-hours`;
}

/** A deadline in the past is due: its plan follows within seconds. */
function due(deadlineSeconds: number, atSeconds: number): string {
  return deadlineSeconds > atSeconds ? ago(deadlineSeconds, atSeconds) : "due now";
}

function demandOn(page: Page, { demand, atSeconds }: ClusterStatus): void {
  page.title("Demand");
  if (demand.length === 0) {
    page.line("No source has posted demand.");
    return;
  }
  const rows = demand.map(
    ({ source, jobs, nodes, sequence, receivedAtSeconds, expired, ignoredMessages }) => [
      source,
      jobs,
      nodes,
      sequence,
      ago(receivedAtSeconds, atSeconds),
      expired ? "silent: does not count" : "counts",
      ignoredMessages,
    ],
  );
  page.table(["SOURCE", "JOBS", "NODES", "SEQUENCE", "LAST", "STATE", "IGNORED"], rows);
  const counting = demand.filter(({ nodeShapes }) => nodeShapes > 0).map(({ source }) => source);
  if (counting.length > 0)
    page.line(`New nodes are as ${joined(counting, "and")} counts them: \`ccscale buckets -o counted\`.`);
}

/** Skips targets of requests that were replaced since the newest plan: they would appear with the new request's times. */
function targetsOn(page: Page, { requestSets, targets, atSeconds }: ClusterStatus): void {
  if (requestSets.length === 0) return;
  page.title("Targets");
  const planned = new Map(
    requestSets.map((set) => [set.requestSet, set] as const).filter(([, set]) => set.planned),
  );
  const rows = targets.flatMap(({ name, requestSet, unit, asked, granted, nodes, why }) => {
    const set = planned.get(requestSet);
    if (set === undefined) return [];
    const expires = ago(set.expiresAtSeconds, atSeconds);
    return [[name, `${granted} of ${asked} ${unit}`, nodes, requestSet, expires, why.slice(1).join(" ")]];
  });
  const waiting = requestSets.filter((set) => !set.planned && !set.expired);
  if (rows.length > 0) page.table(["TARGET", "HAS", "NODES", "REQUEST SET", "EXPIRES", "WHY NOT"], rows);
  else if (waiting.length === 0) page.line("Nothing is requested any more.");
  for (const { requestSet, source, receivedAtSeconds, expiresAtSeconds } of waiting)
    page.line(
      `Request set "${requestSet}": new request by ${source} ${ago(receivedAtSeconds, atSeconds)}, expires ${ago(expiresAtSeconds, atSeconds)}. The next plan takes it up within seconds.`,
    );
}

/** A drain that goes on by itself, and how to stop it. */
function rollingOn(page: Page, { rolling, atSeconds }: ClusterStatus): void {
  if (rolling === null) return;
  const { by, reason, atSeconds: sinceSeconds, total, leftCount, inTurn, atOnce, replace } = rolling;
  page.title("Rolling drain");
  page.line(
    `${total - leftCount - inTurn.length} of ${total} nodes done, ${leftCount} to come, ${atOnce} at a time${replace ? ", each is deleted" : ""}: by ${by} ${ago(sinceSeconds, atSeconds)}, ${reason}.`,
  );
  page.line(`In turn: ${inTurn.join(", ") || "none"}. "ccscale stop-rolling" ends it.`);
}

/** Nodes that an operator drained come first: they return only by request. */
function drainingOn(page: Page, { draining, atSeconds }: ClusterStatus): void {
  if (draining.length === 0) return;
  page.title("Nodes that take no new jobs");
  const isAsked = ({ by, source }: ClusterStatus["draining"][number]) =>
    source !== null || by !== "the autoscaler";
  const rows = draining
    .toSorted((a, b) => Number(isAsked(b)) - Number(isAsked(a)))
    .slice(0, mostDraining)
    .map(({ name, phase, by, source, why, sinceSeconds, untilSeconds }) => [
      name,
      phase,
      source === null ? by : `${by} in ${source}`,
      sinceSeconds === null ? "-" : ago(sinceSeconds, atSeconds),
      untilSeconds === undefined ? why : `${why} (ends ${ago(untilSeconds, atSeconds)})`,
    ]);
  page.table(["NODE", "STATE", "BY", "SINCE", "WHY"], rows);
  if (draining.length > mostDraining)
    page.line(`… and ${draining.length - mostDraining} more: "ccscale nodes --held"`);
}

function operationsOn(page: Page, { operations, atSeconds }: ClusterStatus): void {
  if (operations.length === 0) return;
  page.title("Newest operations");
  const rows = operations
    .slice(0, mostOperations)
    .map(({ kind, nodes, state, reason, messages, updatedAtSeconds }) => [
      kind,
      nodes,
      state,
      ago(updatedAtSeconds, atSeconds),
      [reason, ...messages].join("; "),
    ]);
  page.table(["KIND", "NODES", "STATE", "UPDATED", "WHY"], rows);
}

/** Short: the archived plan has the rest. */
function sizesOn(page: Page, { bought, atSeconds }: ClusterStatus): void {
  if (bought === null) return;
  const { planId, sizes } = bought;
  page.title(`Why these sizes (bought ${ago(bought.atSeconds, atSeconds)})`);
  page.bullets(sizes.slice(0, mostSizeSentences));
  if (sizes.length > mostSizeSentences) page.line(`… and more: "ccscale plans ${planId}"`);
}

function waitingOn(page: Page, status: ClusterStatus): void {
  const { waiting } = status;
  if (waiting.length === 0) return;
  page.title("Waiting");
  // In the queue's order, and jobs that wait alike in one line.
  const alike = Map.groupBy(waiting, ({ granted, asked, why }) =>
    JSON.stringify([granted, asked, reasonsOf(why)[0]]),
  );
  for (const jobs of [...alike.values()].slice(0, mostWaiting)) {
    const [first, ...others] = jobs;
    if (first === undefined) continue;
    const { job, asked, granted, why } = first;
    const more = others.length === 0 ? "" : ` (and ${others.length} more of the first ${waiting.length})`;
    page.line(`${job}${more}: ${granted} of ${asked}. ${reasonsOf(why)[0] ?? ""}`);
  }
  if (alike.size > mostWaiting || waiting.length < waitingIn(status))
    page.line(`… and more: "ccscale jobs --summary"`);
}

function waitingIn({ plans: [plan] }: ClusterStatus): number {
  return plan === undefined ? 0 : plan.jobs - plan.placedJobs;
}

function rejectionsOn(page: Page, { rejections, atSeconds }: ClusterStatus): void {
  if (rejections.length === 0) return;
  page.title("Rejected messages");
  const rows = rejections
    .slice(0, mostRejections)
    .map(({ rejectionId, kind, source, receivedAtSeconds, problems }) => [
      rejectionId,
      kind,
      source ?? "-",
      ago(receivedAtSeconds, atSeconds),
      problems[0] ?? "",
    ]);
  page.table(["ID", "KIND", "SOURCE", "RECEIVED", "PROBLEM"], rows);
}
