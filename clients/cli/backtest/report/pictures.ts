import {
  areaY,
  axisX,
  axisY,
  barY,
  gridY,
  lineY,
  type PlotOptions,
  ruleY,
  stackY,
  text,
} from "@observablehq/plot";
import type { RunFigures } from "../../../../shared/backtest/index.ts";
import { drawn, type Html, type Size } from "./draw.ts";
import { amount, type Clock } from "./figures-in-words.ts";
import { purposesIn, rateOf, type Step, stepsOf, waitClasses, waitCounts } from "./steps.ts";

const mostSteps = 240;
const gridColour = "var(--line)";

/** Cost in an hour (without prices: nodes), stacked by what it was for. */
export function costPicture(run: RunFigures, clock: Clock, hasPrices: boolean): Html {
  const shown = purposesIn(run);
  const order = shown.map(({ purpose }) => purpose);
  const rows = closed(stepsOf(run, mostSteps)).flatMap(({ place, step }) =>
    order.map((purpose) => ({ place: clock.place(place), purpose, rate: rateOf(step, purpose, hasPrices) })),
  );
  const what = hasPrices ? "Cost an hour" : "Nodes";
  const alt = `${what} over time, stacked: ${shown.map(({ words }) => words).join(", ")}. The table below has the numbers.`;
  return drawn(alt, (size) => ({
    ...overTime(size, clock),
    color: { domain: order, range: order.map((purpose) => `var(--${purpose})`) },
    marks: [
      ...axes(size, clock, hasPrices ? "US dollars an hour" : "nodes"),
      areaY(
        rows,
        stackY(
          { order },
          {
            x: "place",
            y: "rate",
            fill: "purpose",
            curve: "step-after",
            stroke: "var(--page)",
            strokeWidth: 0.5,
          },
        ),
      ),
      ruleY([0], { stroke: "currentColor" }),
    ],
  }));
}

/** Processors of nodes, those at work, and those that jobs wait for. */
export function demandPicture(run: RunFigures, clock: Clock): Html {
  const rows = closed(stepsOf(run, mostSteps)).map(({ place, step }) => ({
    place: clock.place(place),
    ...step,
  }));
  const curve = "step-after";
  return drawn(
    "Processors over time: of nodes (area), of running jobs (line), of waiting jobs (dashed line). The table below has the numbers.",
    (size) => ({
      ...overTime(size, clock),
      marks: [
        ...axes(size, clock, "processors"),
        areaY(rows, { x: "place", y: "nodeProcessors", fill: "var(--nodes)", fillOpacity: 0.55, curve }),
        lineY(rows, {
          x: "place",
          y: "runningProcessors",
          stroke: "var(--running)",
          strokeWidth: 1.8,
          curve,
        }),
        lineY(rows, {
          x: "place",
          y: "waitingProcessors",
          stroke: "var(--waiting)",
          strokeWidth: 1.5,
          strokeDasharray: "5,3",
          curve,
        }),
        ruleY([0], { stroke: "currentColor" }),
      ],
    }),
  );
}

export function waitPicture(run: RunFigures): Html {
  const counts = waitCounts(run);
  const rows = waitClasses.map(({ words }, index) => ({ words, jobs: counts[index] ?? 0 }));
  // There are no parts of jobs.
  const ticks = Math.min(5, Math.max(1, ...counts));
  return drawn("Jobs by how long they waited. The table below has the numbers.", (size) => ({
    marginLeft: size.name === "wide" ? 70 : 48,
    marginBottom: size.name === "wide" ? 40 : 62,
    x: { domain: waitClasses.map(({ words }) => words), label: null },
    y: { label: null },
    marks: [
      gridY({ stroke: gridColour, strokeOpacity: 1, ticks }),
      axisY({ label: "jobs", labelArrow: "none", tickSize: 0, ticks }),
      axisX({ tickSize: 0, label: null, tickRotate: size.name === "wide" ? 0 : -50 }),
      barY(rows, { x: "words", y: "jobs", fill: "var(--running)", insetLeft: 1, insetRight: 1 }),
      text(
        rows.filter(({ jobs }) => jobs > 0),
        { x: "words", y: "jobs", text: ({ jobs }: { jobs: number }) => amount(jobs), dy: -8 },
      ),
      ruleY([0], { stroke: "currentColor" }),
    ],
  }));
}

/** A step is drawn as level, so the last one needs an end. */
function closed(steps: readonly Step[]): readonly { readonly place: number; readonly step: Step }[] {
  const last = steps.at(-1);
  return [
    ...steps.map((step) => ({ place: step.fromSeconds, step })),
    ...(last === undefined ? [] : [{ place: last.untilSeconds, step: last }]),
  ];
}

function overTime(size: Size, clock: Clock): PlotOptions {
  return {
    marginLeft: size.name === "wide" ? 70 : 48,
    marginRight: 20,
    marginTop: 30,
    marginBottom: 44,
    x: { type: clock.isDate ? "utc" : "linear", label: null },
    y: { label: null, zero: true },
  };
}

function axes(size: Size, clock: Clock, label: string) {
  const ticks = size.name === "wide" ? 8 : 3;
  return [
    gridY({ stroke: gridColour, strokeOpacity: 1, ticks: 5 }),
    axisY({ label, labelArrow: "none", tickSize: 0, ticks: 5 }),
    axisX({
      label: clock.label,
      labelArrow: "none",
      labelAnchor: "center",
      ticks,
      tickFormat: (place: number | Date) => clock.tick(Number(place)),
    }),
  ];
}
