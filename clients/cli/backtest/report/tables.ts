import { html } from "hono/html";
import {
  type Differences,
  type RunFigures,
  type RunSummary,
  settingsText,
  settingText,
} from "../../../../shared/backtest/index.ts";
import type { Html } from "./draw.ts";
import {
  amount,
  type Clock,
  count,
  difference,
  hours,
  lengthOfTime,
  nanoUsd,
  ratio,
  share,
  unknown,
  usd,
} from "./figures-in-words.ts";
import { purposesIn, stepsOf as steps, waitClasses, waitCounts } from "./steps.ts";

interface TableColumn {
  readonly head: string;
  readonly isNumber?: true;
}

interface Row {
  readonly cells: readonly (string | number)[];
  readonly className?: string;
}

/** A table that scrolls in itself, by keyboard too. The first cell of each row is its heading. */
function table(caption: string, columns: readonly TableColumn[], rows: readonly Row[]): Html {
  const kind = ({ isNumber }: TableColumn) => (isNumber ? "number" : "");
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col" class="${kind(column)}">${column.head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ cells, className }) => html`<tr class="${className ?? ""}">${cells.map((cell, index) => {
      const column = columns[index] ?? { head: "" };
      // Dates and most names would break at a hyphen on a telephone.
      const isShort = column.isNumber !== true && String(cell).length <= mostOnOneLine;
      const classes = isShort ? "nowrap" : kind(column);
      return index === 0
        ? html`<th scope="row" class="${classes}">${cell}</th>`
        : html`<td class="${classes}">${cell}</td>`;
    })}</tr>
`,
  )}</tbody></table></div>`;
}

const mostOnOneLine = 24;

const number = (head: string): TableColumn => ({ head, isNumber: true });

export function runTable(runs: readonly RunSummary[], boundUsd: number | null): Html {
  const keys = [...new Set(runs.flatMap(({ varied }) => Object.keys(varied)))];
  const hasDisks = runs.some(({ disksUsd }) => disksUsd > 0);
  const hasReserved = runs.some(({ reservedUsd }) => reservedUsd > 0);
  const hasBound = boundUsd !== null && boundUsd > 0;
  return table(
    runs.length === 1
      ? "The run"
      : "All runs. ★: no other run is cheaper without longer waits, or the other way round.",
    [
      { head: "Run" },
      ...keys.map((head) => ({ head })),
      number("Cost"),
      ...(hasDisks ? [number("Disks of deallocated nodes")] : []),
      ...(hasReserved ? [number("Reserved and not used")] : []),
      ...(hasBound ? [number("Over best possible")] : []),
      number("Mean wait"),
      number("95 % at most"),
      number("Node-hours"),
      number("Idle"),
      number("Booting"),
      number("Unused"),
      number("Used"),
      number("Nodes bought"),
      number("Saved by boots cut short"),
      number("Never ran"),
      number("Median wait"),
      number("Longest"),
      number("Slowdown"),
      number("Evicted"),
    ],
    runs.map((run) => ({
      className: run.isOnFront && runs.length > 1 ? "front" : "",
      cells: [
        `${run.run}${run.isOnFront && runs.length > 1 ? " ★" : ""}`,
        ...keys.map((key) => (run.varied[key] === undefined ? unknown : settingText(run.varied[key]))),
        usd(run.costUsd),
        ...(hasDisks ? [usd(run.disksUsd)] : []),
        ...(hasReserved ? [usd(run.reservedUsd)] : []),
        ...(hasBound ? [run.costUsd === null ? unknown : `${ratio(run.costUsd / boundUsd)} ×`] : []),
        lengthOfTime(run.meanWaitSeconds),
        lengthOfTime(run.p95WaitSeconds),
        hours(run.nodeHours),
        hours(run.idleNodeHours),
        hours(run.bootNodeHours),
        hours(run.unusedNodeHours),
        share(run.utilisation),
        count(run.nodesBought),
        usd(run.savedUsd),
        count(run.neverRan),
        lengthOfTime(run.medianWaitSeconds),
        lengthOfTime(run.maxWaitSeconds),
        amount(run.meanSlowdown),
        count(run.evicted),
      ],
    })),
  );
}

const mostRows = 62;

export function costTable(run: RunFigures, clock: Clock, hasPrices: boolean): Html {
  const shown = purposesIn(run);
  return table(
    hasPrices ? "Cost of each stretch of time, US dollars" : "Nodes on average in each stretch of time",
    [{ head: "From" }, ...shown.map(({ words }) => number(words))],
    steps(run, mostRows).map((step) => ({
      cells: [
        clock.moment(step.fromSeconds),
        ...shown.map(({ purpose }) =>
          hasPrices ? usd(step.usd.get(purpose) ?? 0) : amount(step.nodes.get(purpose) ?? 0),
        ),
      ],
    })),
  );
}

export function demandTable(run: RunFigures, clock: Clock): Html {
  return table(
    "On average in each stretch of time",
    [
      { head: "From" },
      number("Nodes"),
      number("Their processors"),
      number("Running processors"),
      number("Waiting processors"),
      number("Waiting jobs"),
    ],
    steps(run, mostRows).map((step) => ({
      cells: [
        clock.moment(step.fromSeconds),
        amount([...step.nodes.values()].reduce((sum, nodes) => sum + nodes, 0)),
        amount(step.nodeProcessors),
        amount(step.runningProcessors),
        amount(step.waitingProcessors),
        amount(step.waitingJobs),
      ],
    })),
  );
}

export function waitTable(run: RunFigures): Html {
  const counts = waitCounts(run);
  const all = counts.reduce((sum, jobs) => sum + jobs, 0);
  return table(
    "Jobs by how long they waited",
    [{ head: "Wait" }, number("Jobs"), number("Share")],
    waitClasses.map(({ words }, index) => {
      const jobs = counts[index] ?? 0;
      return { cells: [words, count(jobs), share(all === 0 ? null : jobs / all)] };
    }),
  );
}

export function whereTable(run: RunFigures): Html {
  const byKey = Map.groupBy(run.cost.lines, ({ nodeArray, vmSize, spot, purpose }) =>
    JSON.stringify([nodeArray, vmSize, spot, purpose]),
  );
  const groups = [...byKey.values()].map((lines) => ({
    nodeMs: lines.reduce((sum, line) => sum + line.nodeMs, 0),
    nanoUsd: lines.reduce((sum, line) => sum + line.nanoUsd, 0),
    unpriced: lines.reduce((sum, line) => sum + line.unpricedNodeMs, 0),
    of: lines[0],
  }));
  return table(
    "Cost by node array, size and what for",
    [
      { head: "Node array" },
      { head: "Size" },
      { head: "Spot" },
      { head: "What for" },
      number("Node-hours"),
      number("Cost"),
    ],
    groups
      .toSorted((a, b) => b.nanoUsd - a.nanoUsd || b.nodeMs - a.nodeMs)
      .map((group) => ({
        cells: [
          group.of?.nodeArray ?? "",
          group.of?.vmSize ?? "",
          group.of?.spot === true ? "spot" : "",
          group.of?.purpose ?? "",
          hours(group.nodeMs / 3_600_000),
          group.nodeMs > 0 && group.unpriced === group.nodeMs ? unknown : nanoUsd(group.nanoUsd),
        ],
      })),
  );
}

/** The hours, and the jobs, in which two runs differ most. */
export function differenceTables(
  found: Differences,
  { clock, hasPrices }: { readonly clock: Clock; readonly hasPrices: boolean },
  names: readonly [string, string],
): Html {
  const [first, second] = names;
  return html`${table(
    `Times in which ${hasPrices ? "cost differs" : "nodes differ"} most: ${second} against ${first}`,
    [{ head: "From" }, number("For"), ...(hasPrices ? [number("Cost")] : []), number("Nodes on average")],
    found.times.map(({ fromSeconds, untilSeconds, nanoUsd: more, nodeMs }) => ({
      cells: [
        clock.moment(fromSeconds),
        lengthOfTime(untilSeconds - fromSeconds),
        ...(hasPrices ? [more < 0 ? `−${nanoUsd(-more)}` : `+${nanoUsd(more)}`] : []),
        difference(nodeMs / 1_000 / (untilSeconds - fromSeconds)),
      ],
    })),
  )}
<p class="small quiet">${count(found.jobsSooner)} jobs start sooner, ${count(found.jobsLater)} later.</p>
${table(
  `Jobs whose wait differs most: ${second} against ${first}`,
  [
    { head: "Job" },
    { head: "User" },
    number("Processors"),
    number(`Wait in ${first}`),
    number(`Wait in ${second}`),
    number("Submitted"),
  ],
  found.jobs.map(({ job, firstWaitSeconds, secondWaitSeconds }) => ({
    cells: [
      job.jobName === undefined ? job.name : `${job.name} (${job.jobName})`,
      job.user ?? unknown,
      count(job.processors),
      firstWaitSeconds === null ? "never ran" : lengthOfTime(firstWaitSeconds),
      secondWaitSeconds === null ? "never ran" : lengthOfTime(secondWaitSeconds),
      clock.moment(job.submitSeconds),
    ],
  })),
)}`;
}

export function runName(run: RunSummary): string {
  return `Run ${run.run}: ${settingsText(run.varied)}`;
}
