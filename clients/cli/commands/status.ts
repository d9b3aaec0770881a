import { Command } from "commander";
import type { ClusterStatus } from "../../../shared/api/index.ts";
import { exactDuration } from "../../../shared/text/durations.ts";
import { counted, joined, printableCut } from "../../../shared/text/text.ts";
import { captured, type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { reasonsOf } from "../output/decided.ts";
import { decidedNodesOn } from "../output/decided-nodes.ts";
import { ago, moment } from "../output/moments.ts";
import { reportOption } from "../output/output-options.ts";
import { type Page, pageOn } from "../output/report.ts";
import { spotInWords } from "../output/spot-words.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends LookFlags {
  readonly all?: true;
}

export function statusCommand(terminal: Terminal): Command {
  const command = new Command("status")
    .description("Shows a cluster on one screen, problems first.")
    .option("--all", `every section, also where that takes more than ${mostLines} lines`)
    .action((flags: Flags) => look(terminal, flags, (looking) => showStatus(looking, flags)));
  return lookOptions(command).addOption(reportOption());
}

async function showStatus({ terminal, service, report }: Looking, flags: Flags): Promise<void> {
  const status: ClusterStatus = await service.ask("status");
  report(status, (page) => page.verbatim(statusText(terminal, status, flags.all === true)));
}

const mostLines = 40;
const mostProblems = 6;
const mostDraining = 8;
const mostOperations = 5;
const mostWaiting = 5;
const mostSizeSentences = 4;
const mostRejections = 3;
const longestName = 60;

/** A part of the page; `way`: the command that has all of it. */
interface Section {
  readonly name: string;
  readonly way: string;
  /** What does not fit goes from the end of this order. */
  readonly rank: number;
  /** Prints at most so many rows, and nothing where there is nothing. */
  readonly on: (page: Page, status: ClusterStatus, most: number) => void;
}

const sections: readonly Section[] = [
  { name: "cost", way: "cost", rank: 8, on: costOn },
  { name: "budgets", way: "status --all", rank: 7, on: budgetsOn },
  { name: "demand", way: "status --all", rank: 2, on: demandOn },
  { name: "targets", way: "status --all", rank: 4, on: targetsOn },
  { name: "nodes that take no new jobs", way: "nodes --held", rank: 3, on: drainingOn },
  { name: "rolling drain", way: "status --all", rank: 1, on: rollingOn },
  { name: "kept and ignored nodes", way: "nodes --held", rank: 5, on: decidedNodesOn },
  { name: "operations", way: "operations", rank: 9, on: operationsOn },
  { name: "why these sizes", way: "plans last", rank: 10, on: sizesOn },
  { name: "waiting jobs", way: "jobs --summary", rank: 0, on: waitingOn },
  { name: "rejected messages", way: "rejects list", rank: 6, on: rejectionsOn },
];

/** Problems, facts, then the sections: with fewer rows each where they do not fit, and the least useful ones only named. */
export function statusText(terminal: Terminal, status: ClusterStatus, isAll: boolean): string {
  const printed = (print: (page: Page) => void): string => {
    const { terminal: kept, text } = captured(terminal);
    print(pageOn(kept));
    return text();
  };
  const sectionsWith = (most: number) =>
    sections.map((section) => ({ section, text: printed((page) => section.on(page, status, most)) }));
  const whole = printed((page) => headOn(page, status, Number.POSITIVE_INFINITY));
  const unlimited = sectionsWith(Number.POSITIVE_INFINITY);
  if (isAll) return whole + textOf(unlimited);
  const head =
    linesIn(whole) <= mostLines / 2 ? whole : printed((page) => headOn(page, status, mostProblems));
  const room = mostLines - linesIn(head);
  for (const most of [Number.POSITIVE_INFINITY, 5, 3, 2, 1]) {
    const all = sectionsWith(most);
    if (linesIn(textOf(all)) <= room) return head + textOf(all);
    const some = all.filter(({ section }) => section.rank < leastRank);
    if (most === 1 || linesIn(textOf(some)) <= room - 2)
      return head + printed((page) => asMuchAsFits(page, all, room));
  }
  return head;
}

/** From there on a section goes before others are shortened. */
const leastRank = 9;

interface Printed {
  readonly section: Section;
  readonly text: string;
}

function asMuchAsFits(page: Page, all: readonly Printed[], room: number): void {
  const filled = all.filter(({ text }) => text !== "");
  const chosen = new Set<Printed>();
  // An empty line and one that names the others.
  let left = room - 2;
  for (const each of filled.toSorted((a, b) => a.section.rank - b.section.rank)) {
    left -= linesIn(each.text);
    if (left >= 0) chosen.add(each);
    else left += linesIn(each.text);
  }
  page.verbatim(textOf(filled.filter((each) => chosen.has(each))));
  const others = filled.filter((each) => !chosen.has(each));
  const ways = Map.groupBy(others, ({ section }) => section.way);
  const words = [...ways].map(
    ([way, some]) => `${some.map(({ section }) => section.name).join(", ")}: "ccscale ${way}"`,
  );
  page.line("");
  page.line(
    `More of ${words.join("; ")}${ways.has("status --all") ? "" : '; everything: "ccscale status --all"'}`,
  );
}

function textOf(all: readonly Printed[]): string {
  return all.map(({ text }) => text).join("");
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** Names come from users, and may be long. */
function short(name: string): string {
  return printableCut(name, longestName);
}

function headOn(page: Page, status: ClusterStatus, most: number): void {
  const { problems } = status;
  const shown = problems.slice(0, most);
  for (const [at, { gravity, kind, text, next }] of shown.entries()) {
    page.warning(`${gravity.toUpperCase()}: ${text}`);
    // Problems of one kind share their advice: print it once, under the last of them.
    if (shown[at + 1]?.kind !== kind) page.line(`  ${next}`);
  }
  if (problems.length === 0) page.line("No problems.");
  moreOn(page, problems.length, shown.length, "ccscale status --all");
  page.line("");
  page.facts(headlines(status));
}

function headlines(status: ClusterStatus): readonly (readonly [string, string | null])[] {
  const { cluster, atSeconds, snapshot, nodes, plans, openOperations, nextDeadlineSeconds } = status;
  const [plan] = plans;
  const { jobs, placedJobs } = plan ?? { jobs: 0, placedJobs: 0 };
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
    // As of the newest plan.
    ["jobs", jobs === 0 ? null : `${jobs}: ${placedJobs} placed, ${jobs - placedJobs} waiting`],
    ["cost", status.spending === null ? null : costInWords(status.spending)],
    ["last 24h", status.utilisation === null ? null : usedInWords(status.utilisation)],
    ["spot", status.spot === null ? null : spotInWords(status.spot, atSeconds)],
    ["idle time-out", status.idleTimeouts.length === 0 ? null : idleInWords(status.idleTimeouts)],
    ["open operations", String(openOperations)],
  ];
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

function idleInWords(timeouts: ClusterStatus["idleTimeouts"]): string {
  return timeouts
    .map(({ nodeArray, seconds, why }) => `${nodeArray} ${exactDuration(seconds)} (${why})`)
    .join("; ");
}

const mostArrays = 8;
const mostBudgets = 8;

/** What it cost, and will cost; the dearest arrays by name. */
function costOn(page: Page, { spending }: ClusterStatus, most: number): void {
  if (spending === null || (spending.monthUsd === 0 && spending.usdPerHour === 0)) return;
  page.title("Cost");
  const row = (name: string, sums: Sums) => [
    name,
    ...[sums.hourUsd, sums.dayUsd, sums.monthUsd, sums.forecastUsd].map((usd) => usd.toFixed(2)),
  ];
  const arrays = spending.nodeArrays.map((sums) => row(sums.nodeArray, sums));
  page.table(
    ["NODE ARRAY", "THIS HOUR", "TODAY", spending.month, "FORECAST"],
    [...arrays.slice(0, Math.min(mostArrays, most)), row("all", spending)],
  );
  moreOn(page, arrays.length, Math.min(mostArrays, most), "ccscale cost --by array");
}

type Sums = Pick<NonNullable<ClusterStatus["spending"]>, "hourUsd" | "dayUsd" | "monthUsd" | "forecastUsd">;

/** The most spent ones first. */
function budgetsOn(page: Page, { spending }: ClusterStatus, most: number): void {
  const budgets = spending?.budgets ?? [];
  if (budgets.length === 0) return;
  page.title("Budgets");
  const shareOf = ({ spentUsd, limitUsd }: (typeof budgets)[number]) => spentUsd / limitUsd;
  const rows = budgets
    .toSorted((a, b) => shareOf(b) - shareOf(a))
    .slice(0, Math.min(mostBudgets, most))
    .map((budget) => [
      short(budget.name),
      budget.spentUsd.toFixed(2),
      budget.limitUsd.toFixed(2),
      `${Math.floor(shareOf(budget) * 100)}%`,
      budget.period,
      budget.level === "reached" && budget.hold ? "reached: holds" : budget.level,
    ]);
  page.table(["BUDGET", "SPENT", "OF", "SHARE", "PERIOD", "STATE"], rows);
  moreOn(page, budgets.length, Math.min(mostBudgets, most), "ccscale status --format json");
}

function moreOn(page: Page, count: number, most: number, way: string): void {
  if (count > most) page.line(`… and ${count - most} more: "${way}"`);
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

function demandOn(page: Page, { demand, atSeconds }: ClusterStatus, most: number): void {
  page.title("Demand");
  if (demand.length === 0) {
    page.line("No source has posted demand.");
    return;
  }
  const rows = demand
    .slice(0, most)
    .map(({ source, jobs, nodes, sequence, receivedAtSeconds, expired, ignoredMessages }) => [
      short(source),
      jobs,
      nodes,
      sequence,
      ago(receivedAtSeconds, atSeconds),
      expired ? "silent: does not count" : "counts",
      ignoredMessages,
    ]);
  page.table(["SOURCE", "JOBS", "NODES", "SEQUENCE", "LAST", "STATE", "IGNORED"], rows);
  moreOn(page, demand.length, most, "ccscale status --all");
  const counting = demand.filter(({ nodeShapes }) => nodeShapes > 0).map(({ source }) => source);
  if (counting.length > 0)
    page.line(`New nodes are as ${joined(counting, "and")} counts them: \`ccscale buckets -o counted\`.`);
}

/** A window of a schedule that has other settings alone. No request can have a name with a slash. */
function isOfSettings({ requestSet, planned, arrays }: ClusterStatus["requestSets"][number]): boolean {
  return requestSet.startsWith("schedule/") && planned && arrays === 0;
}

/** Such as "in 2h". */
function endOf(
  { expiresAtSeconds, lasting }: ClusterStatus["requestSets"][number],
  nowSeconds: number,
): string {
  return lasting ? "never" : ago(expiresAtSeconds, nowSeconds);
}

/** Skips targets of requests that were replaced since the newest plan: they would appear with the new request's times. */
function targetsOn(page: Page, { requestSets, targets, atSeconds }: ClusterStatus, most: number): void {
  if (requestSets.length === 0) return;
  page.title("Targets");
  const planned = new Map(
    requestSets.map((set) => [set.requestSet, set] as const).filter(([, set]) => set.planned),
  );
  const rows = targets.flatMap(({ name, requestSet, unit, asked, granted, nodes, why }) => {
    const set = planned.get(requestSet);
    if (set === undefined) return [];
    const expires = endOf(set, atSeconds);
    const has = `${granted} of ${asked} ${unit}`;
    return [[short(name), has, nodes, short(requestSet), expires, why.slice(1).join(" ")]];
  });
  const asking = requestSets.filter(({ expired }) => !expired);
  const waiting = asking.filter(({ planned }) => !planned);
  if (rows.length > 0) {
    page.table(["TARGET", "HAS", "NODES", "REQUEST SET", "EXPIRES", "WHY NOT"], rows.slice(0, most));
    moreOn(page, rows.length, most, "ccscale status --all");
    for (const { name, spare } of targets.slice(0, most))
      if (spare !== null) page.line(`${short(name)}: ${spare.text}`);
  } else if (asking.length === 0) page.line("Nothing is requested any more.");
  for (const set of asking.filter(isOfSettings))
    page.line(
      `Request set "${set.requestSet}" asks for no nodes, and its settings hold: expires ${endOf(set, atSeconds)}.`,
    );
  for (const set of waiting.slice(0, most)) {
    const { requestSet, source, receivedAtSeconds } = set;
    const expires = `expires ${endOf(set, atSeconds)}`;
    page.line(
      receivedAtSeconds > atSeconds
        ? `Request set "${requestSet}" of ${source} begins ${ago(receivedAtSeconds, atSeconds)}, ${expires}.`
        : `Request set "${requestSet}": new request by ${source} ${ago(receivedAtSeconds, atSeconds)}, ${expires}. The next plan takes it up within seconds.`,
    );
  }
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
function drainingOn(page: Page, { draining, atSeconds }: ClusterStatus, most: number): void {
  if (draining.length === 0) return;
  page.title("Nodes that take no new jobs");
  const isAsked = ({ by, source }: ClusterStatus["draining"][number]) =>
    source !== null || by !== "the autoscaler";
  const rows = draining
    .toSorted((a, b) => Number(isAsked(b)) - Number(isAsked(a)))
    .slice(0, Math.min(mostDraining, most))
    .map(({ name, phase, by, source, why, sinceSeconds, untilSeconds }) => [
      short(name),
      phase,
      source === null ? by : `${by} in ${source}`,
      sinceSeconds === null ? "-" : ago(sinceSeconds, atSeconds),
      untilSeconds === undefined ? why : `${why} (ends ${ago(untilSeconds, atSeconds)})`,
    ]);
  page.table(["NODE", "STATE", "BY", "SINCE", "WHY"], rows);
  moreOn(page, draining.length, Math.min(mostDraining, most), "ccscale nodes --held");
}

function operationsOn(page: Page, { operations, atSeconds }: ClusterStatus, most: number): void {
  if (operations.length === 0) return;
  page.title("Newest operations");
  const rows = operations
    .slice(0, Math.min(mostOperations, most))
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
function sizesOn(page: Page, { bought, atSeconds }: ClusterStatus, most: number): void {
  if (bought === null) return;
  const { planId, sizes } = bought;
  page.title(`Why these sizes (bought ${ago(bought.atSeconds, atSeconds)})`);
  const shown = Math.min(mostSizeSentences, most);
  page.bullets(sizes.slice(0, shown));
  if (sizes.length > shown) page.line(`… and more: "ccscale plans ${planId}"`);
}

function waitingOn(page: Page, { waiting, plans: [plan] }: ClusterStatus, most: number): void {
  if (waiting.length === 0) return;
  page.title("Waiting");
  const shown = Math.min(mostWaiting, most);
  // In the queue's order, and jobs that wait alike in one line.
  const alike = Map.groupBy(waiting, ({ granted, asked, why }) =>
    JSON.stringify([granted, asked, reasonsOf(why)[0]]),
  );
  for (const jobs of [...alike.values()].slice(0, shown)) {
    const [first, ...others] = jobs;
    if (first === undefined) continue;
    const { job, asked, granted, why } = first;
    const more = others.length === 0 ? "" : ` (and ${others.length} more of the first ${waiting.length})`;
    page.line(`${short(job)}${more}: ${granted} of ${asked}. ${reasonsOf(why)[0] ?? ""}`);
  }
  const waitingInAll = plan === undefined ? 0 : plan.jobs - plan.placedJobs;
  if (alike.size > shown || waiting.length < waitingInAll) page.line(`… and more: "ccscale jobs --summary"`);
}

function rejectionsOn(page: Page, { rejections, atSeconds }: ClusterStatus, most: number): void {
  if (rejections.length === 0) return;
  page.title("Rejected messages");
  const rows = rejections
    .slice(0, Math.min(mostRejections, most))
    .map(({ rejectionId, kind, source, receivedAtSeconds, problems }) => [
      rejectionId,
      kind,
      short(source ?? "-"),
      ago(receivedAtSeconds, atSeconds),
      problems[0] ?? "",
    ]);
  page.table(["ID", "KIND", "SOURCE", "RECEIVED", "PROBLEM"], rows);
}
