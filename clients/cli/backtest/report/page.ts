import { html, raw } from "hono/html";
import type {
  BestPossibleOutcome,
  Differences,
  RunFigures,
  RunSummary,
  TraceJobs,
} from "../../../../shared/backtest/index.ts";
import { differences, neverRanIn, summaries } from "../../../../shared/backtest/index.ts";
import { counted } from "../../../../shared/text/text.ts";
import { noJobs } from "../workload-file.ts";
import type { Html } from "./draw.ts";
import {
  amount,
  type Clock,
  clockOf,
  count,
  hours,
  lengthOfTime,
  nanoUsd,
  share,
  usd,
} from "./figures-in-words.ts";
import { frontPicture, isNear } from "./front-picture.ts";
import { costPicture, demandPicture, waitPicture } from "./pictures.ts";
import { purposesIn } from "./steps.ts";
import { style } from "./style.ts";
import {
  costTable,
  demandTable,
  differenceTables,
  runName,
  runTable,
  waitTable,
  whereTable,
} from "./tables.ts";

export interface ReportInput {
  /** Such as the name of the trace. */
  readonly workload: string;
  /** At least one. */
  readonly runs: readonly RunFigures[];
  /** In the order of the queue: the names for `perJob`. */
  readonly jobs: TraceJobs;
  readonly best: BestPossibleOutcome;
  /** What the search for better settings found, a paragraph each. */
  readonly suggestion?: readonly string[];
}

/** Runs with pictures of their own; of more, only those that no other beats have them. */
const mostPictured = 12;
const nanoPerUsd = 1e9;

/** The report as one HTML file, which loads nothing and runs nothing. The same input gives the same file. */
export async function reportPage(input: ReportInput): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Back-test of ${input.workload}</title>
<style>${raw(style)}</style>
</head>
<body>
${content(input)}
</body>
</html>
`;
  return page.toString();
}

function content(input: ReportInput): Html {
  const { runs, best, workload } = input;
  const lines = summaries(runs);
  const period = {
    startSeconds: Math.min(...runs.map((run) => run.period.startSeconds)),
    endSeconds: Math.max(...runs.map((run) => run.period.endSeconds)),
  };
  const clock = clockOf(period);
  // Where no node was bought, nothing was paid.
  const hasPrices =
    lines.every(({ nodeHours }) => nodeHours === 0) ||
    lines.some(({ costUsd, nodeHours }) => costUsd !== null && nodeHours > 0);
  const boundUsd = best.ok && hasPrices ? best.best.boundNanoUsd / nanoPerUsd : null;
  const setup = runs[0]?.setup;
  return html`<header>
<h1>Back-test of ${workload}</h1>
<p class="quiet">${count(setup?.workload.jobs ?? 0)} ${setup?.workload.jobs === 1 ? "job" : "jobs"} over ${lengthOfTime(period.endSeconds - period.startSeconds)} on cluster “${setup?.cluster ?? ""}”, ${counted(runs.length, "runs")}. Scheduler model ${setup?.scheduler ?? ""}${setup?.wholeNodes === true ? ", whole nodes" : ""}, seed ${setup?.seed ?? 0}. The autoscaler is the real one; CycleCloud and the scheduler are models.</p>
${setup?.workload.jobs === 0 ? html`<p>${noJobs}</p>` : ""}${(setup?.boots ?? []).map((sentence) => html`<p class="quiet">${sentence}</p>`)}
</header>
<main>
${cards(lines, best, hasPrices)}
${input.suggestion === undefined ? "" : html`<h2>Suggestion</h2>${input.suggestion.map((paragraph) => html`<p>${paragraph}</p>`)}`}
${lines.length > 1 ? comparison(lines, { hasPrices, boundUsd }) : html`<h2>The run</h2>${runTable(lines, boundUsd)}`}
${lines.length > 1 ? biggestDifferences(input, lines, { clock, hasPrices }) : ""}
${eachRun(runs, lines, { clock, hasPrices })}
${leftOut(runs)}
${bestPossible(best)}
</main>
<footer class="small quiet"><p>Cost is node-time by list and configured prices, not the bill: disks of running nodes, networks, licences and head nodes are not in it. Made by ccscale backtest; docs/backtest.md has the rules of the model.</p></footer>`;
}

function cards(lines: readonly RunSummary[], best: BestPossibleOutcome, hasPrices: boolean): Html {
  const byCost = (run: RunSummary) => (hasPrices ? run.costUsd : run.nodeHours) ?? Number.POSITIVE_INFINITY;
  const cheapest = lines.toSorted((a, b) => byCost(a) - byCost(b))[0];
  const quickest = lines.toSorted(
    (a, b) => (a.meanWaitSeconds ?? Infinity) - (b.meanWaitSeconds ?? Infinity) || byCost(a) - byCost(b),
  )[0];
  if (cheapest === undefined || quickest === undefined) return html``;
  const isSingle = lines.length === 1;
  const price = (run: RunSummary) =>
    hasPrices ? usd(run.costUsd) : counted(Math.round(run.nodeHours), "node-hours");
  const [single, least] = hasPrices ? ["Cost", "Cheapest run"] : ["Nodes", "Fewest node-hours"];
  const label = isSingle ? single : least;
  const card = (head: string, value: string, note: string) =>
    html`<li><span class="label">${head}</span> <span class="value">${value}</span> <span class="note">${note}</span></li>`;
  return html`<ul class="cards">
${card(label, price(cheapest), isSingle ? `${hours(cheapest.nodeHours)} node-hours` : `${runName(cheapest)}; mean wait ${lengthOfTime(cheapest.meanWaitSeconds)}`)}
${isSingle ? card("Mean wait", lengthOfTime(cheapest.meanWaitSeconds), `95 % at most ${lengthOfTime(cheapest.p95WaitSeconds)}`) : card("Shortest waits", lengthOfTime(quickest.meanWaitSeconds), `${runName(quickest)}; ${price(quickest)}`)}
${best.ok && hasPrices ? card("Best possible, at least", nanoUsd(best.best.boundNanoUsd), best.best.foreseenNanoUsd === null ? "no plan can cost less" : `${nanoUsd(best.best.foreseenNanoUsd)} if everything were known beforehand`) : card("Processors used", share(cheapest.utilisation), "of the time that nodes were there")}
${card("Nodes bought", count(cheapest.nodesBought), `${isSingle ? "" : `Run ${cheapest.run}: `}idle ${hours(cheapest.idleNodeHours)} h, booting ${hours(cheapest.bootNodeHours)} h`)}
</ul>`;
}

function comparison(
  lines: readonly RunSummary[],
  { hasPrices, boundUsd }: { readonly hasPrices: boolean; readonly boundUsd: number | null },
): Html {
  const costs = lines.flatMap(({ costUsd }) => (costUsd === null ? [] : [{ cost: costUsd }]));
  const isShown = isNear(boundUsd, costs);
  return html`<h2>Cost against wait</h2>
<p>Further left ${hasPrices ? "is cheaper" : "takes fewer node-hours"}, further down is quicker. Axes do not begin at 0.${boundUsd === null || isShown ? "" : ` The best possible, ${usd(boundUsd)}, is left of the picture.`}</p>
<figure>
<figcaption>Runs by ${hasPrices ? "cost" : "node-hours"} and mean wait</figcaption>
<ul class="legend"><li><span class="dot" style="background:var(--front)"></span>no other run beats it</li><li><span class="ring" style="border-color:var(--beaten)"></span>another run is better in both</li>${isShown ? html`<li><span class="rule dashed" style="border-color:var(--bound)"></span>best possible</li>` : ""}</ul>
${frontPicture(lines, { hasPrices, boundUsd })}
${runTable(lines, boundUsd)}
</figure>`;
}

/** Between the ends of the front: the cheapest run and the quickest. */
function biggestDifferences(
  { runs, jobs }: ReportInput,
  lines: readonly RunSummary[],
  shown: { readonly clock: Clock; readonly hasPrices: boolean },
): Html {
  const front = lines.filter(({ isOnFront }) => isOnFront);
  const byWait = front.toSorted((a, b) => (a.meanWaitSeconds ?? 0) - (b.meanWaitSeconds ?? 0));
  const quick = byWait[0] ?? lines[0];
  // The first of equal runs.
  const last = byWait.find(({ meanWaitSeconds }) => meanWaitSeconds === byWait.at(-1)?.meanWaitSeconds);
  const other = last === undefined || last === quick ? lines.find((line) => line !== quick) : last;
  const [a, b] = [runs[(quick?.run ?? 0) - 1], runs[(other?.run ?? 0) - 1]];
  if (quick === undefined || other === undefined || a === undefined || b === undefined) return html``;
  const changes: Differences = differences(jobs, [a, b]);
  return html`<h2>What differs most</h2>
<p>${runName(other)}, against ${runName(quick)}.</p>
${differenceTables(changes, shown, [`run ${quick.run}`, `run ${other.run}`])}`;
}

function eachRun(
  runs: readonly RunFigures[],
  lines: readonly RunSummary[],
  { clock, hasPrices }: { readonly clock: Clock; readonly hasPrices: boolean },
): Html {
  const all = runs.flatMap((run, index) => {
    const line = lines[index];
    return line === undefined || (runs.length > mostPictured && !line.isOnFront) ? [] : [{ run, line }];
  });
  const open = all.find(({ line }) => line.isOnFront) ?? all[0];
  return html`<h2>${runs.length === 1 ? "Over time" : "Each run"}</h2>
${all.length < runs.length ? html`<p>Only the runs that no other beats have pictures.</p>` : ""}
${all.map((each) =>
  runs.length === 1
    ? pictures(each.run, { clock, hasPrices })
    : html`<details class="run" ${raw(each === open ? "open" : "")}><summary>${runName(each.line)}</summary>
${pictures(each.run, { clock, hasPrices })}</details>`,
)}`;
}

function pictures(
  run: RunFigures,
  { clock, hasPrices }: { readonly clock: Clock; readonly hasPrices: boolean },
): Html {
  if (run.cost.total.nodeMs === 0) return html`<p>No node was bought, and no job ran.</p>`;
  const beside = (of: string, content: Html) =>
    html`<details><summary>${of} as a table</summary>${content}</details>`;
  const cost = hasPrices ? "Cost an hour, by what it was for" : "Nodes, by what they were for";
  return html`<figure><figcaption>${cost}</figcaption>
<ul class="legend">${purposesIn(run).map(({ purpose, words }) => html`<li><span style="background:var(--${purpose})"></span>${words}</li>`)}</ul>
${costPicture(run, clock, hasPrices)}
${beside(cost, costTable(run, clock, hasPrices))}
${beside("Cost by node array and size", whereTable(run))}
</figure>
<figure><figcaption>Nodes and demand, in processors</figcaption>
<ul class="legend"><li><span style="background:var(--nodes)"></span>of nodes</li><li><span class="rule" style="border-color:var(--running)"></span>running jobs</li><li><span class="rule dashed" style="border-color:var(--waiting)"></span>waiting jobs</li></ul>
${demandPicture(run, clock)}
${beside("Nodes and demand", demandTable(run, clock))}
</figure>
<figure><figcaption>Jobs by how long they waited</figcaption>
<p class="small quiet">Mean ${lengthOfTime(run.waitSeconds?.mean ?? null)}, median ${lengthOfTime(run.waitSeconds?.median ?? null)}, 95 % at most ${lengthOfTime(run.waitSeconds?.p95 ?? null)}, longest ${lengthOfTime(run.waitSeconds?.max ?? null)}. Bounded slowdown ${amount(run.boundedSlowdown?.mean ?? null)} on average.</p>
${waitPicture(run)}
${beside("Waits", waitTable(run))}
</figure>`;
}

function leftOut(runs: readonly RunFigures[]): Html {
  const records = runs[0]?.setup.workload.leftOut ?? [];
  const never = neverRanIn(runs);
  if (records.length === 0 && never.length === 0) return html``;
  const named = (names: readonly string[], many: number) =>
    `(${names.join(", ")}${many > names.length ? ", …" : ""})`;
  return html`<h2>What is left out</h2>
${records.length === 0 ? "" : html`<h3>Records of the workload</h3><ul class="plain">${records.map(({ why, count: many, where }) => html`<li>${counted(many, "records")}: ${why} ${named(where, many)}</li>`)}</ul>`}
${never.length === 0 ? "" : html`<h3>Jobs that did not run to their end</h3><ul class="plain">${never.map((reason) => neverRan(reason, { all: runs.length, named }))}</ul>`}`;
}

function neverRan(
  reason: ReturnType<typeof neverRanIn>[number],
  given: { readonly all: number; readonly named: (names: readonly string[], many: number) => string },
): Html {
  const { all, named } = given;
  const { inRuns } = reason;
  const where = inRuns.length === all ? "" : `Run ${inRuns.join(", ")}: `;
  return html`<li>${where}${counted(reason.count, "jobs")} ${named(reason.first, reason.count)}: ${reason.why}${reason.reasons.length === 0 ? "" : html`<ul>${reason.reasons.map(({ sentence }) => html`<li>${sentence}</li>`)}</ul>`}</li>`;
}

function bestPossible(outcome: BestPossibleOutcome): Html {
  if (!outcome.ok) return html`<h2>Best possible</h2><p>Not known: ${outcome.why}</p>`;
  const { best } = outcome;
  const list = (sentences: readonly string[]) =>
    html`<ul class="plain">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
  return html`<h2>Best possible</h2>
<dl>
<dt>Lower bound: ${nanoUsd(best.boundNanoUsd)}</dt><dd>No way of running these jobs on these nodes costs less. It leaves out:${list(best.boundLeavesOut)}</dd>
<dt>With everything known beforehand: ${nanoUsd(best.foreseenNanoUsd)}</dt><dd>What one plan costs that knows every job and its run time, and lets none wait. It leaves out:${list(best.foreseenLeavesOut)}</dd>
</dl>
${best.jobsLeftOut === 0 ? "" : html`<p>${counted(best.jobsLeftOut, "jobs")} that fit on no size with a price are in neither.</p>`}`;
}
