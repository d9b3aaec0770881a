import { axisX, axisY, dot, gridX, gridY, line, ruleX, text } from "@observablehq/plot";
import type { RunSummary } from "../../../../shared/backtest/index.ts";
import { drawn, type Html, type Size } from "./draw.ts";
import { amount, usd } from "./figures-in-words.ts";
import { labelPlaces } from "./label-places.ts";

const gridColour = "var(--line)";

/** Units of an axis of waits, by the longest. */
const units = [
  { upToSeconds: 120, words: "seconds", seconds: 1 },
  { upToSeconds: 7_200, words: "minutes", seconds: 60 },
  { upToSeconds: 172_800, words: "hours", seconds: 3_600 },
] as const;

/** Each run by what it cost and how long its jobs waited; runs that no other beats are joined by a line. */
export function frontPicture(
  runs: readonly RunSummary[],
  { hasPrices, boundUsd }: { readonly hasPrices: boolean; readonly boundUsd: number | null },
): Html {
  const placed = runs.flatMap(({ run, isOnFront, costUsd, nodeHours, meanWaitSeconds }) => {
    const cost = hasPrices ? costUsd : nodeHours;
    return cost === null || meanWaitSeconds === null
      ? []
      : [{ run: String(run), isOnFront, cost, wait: meanWaitSeconds }];
  });
  const longest = Math.max(1, ...placed.map(({ wait }) => wait));
  const unit = units.find(({ upToSeconds }) => longest <= upToSeconds) ?? { words: "days", seconds: 86_400 };
  // Runs that come out the same are one point with all their numbers.
  const same = Map.groupBy(placed, ({ cost, wait, isOnFront }) => `${cost} ${wait} ${isOnFront}`);
  const points = [...same.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            ...first,
            wait: first.wait / unit.seconds,
            run: [first, ...others].map(({ run }) => run).join(", "),
          },
        ],
  );
  const front = points
    .filter(({ isOnFront }) => isOnFront)
    .toSorted((a, b) => a.cost - b.cost || b.wait - a.wait);
  const beaten = points.filter(({ isOnFront }) => !isOnFront);
  const bound = hasPrices && isNear(boundUsd, points) ? boundUsd : null;
  const domains = {
    x: padded([...points.map(({ cost }) => cost), ...(bound === null ? [] : [bound])]),
    y: padded(points.map(({ wait }) => wait)),
  };
  const alt = `Runs by ${hasPrices ? "cost" : "node-hours"} and mean wait. No run beats ${front.map(({ run }) => `run ${run}`).join(", ")}. The table below has the numbers.`;
  return drawn(alt, (size) => ({
    ...marginsOf(size),
    x: { domain: domains.x, label: null },
    y: { domain: domains.y, label: null },
    marks: [
      gridX({ stroke: gridColour, strokeOpacity: 1, ticks: size.name === "wide" ? 8 : 3 }),
      gridY({ stroke: gridColour, strokeOpacity: 1, ticks: 5 }),
      axisX({
        label: hasPrices ? "cost of the run, US dollars" : "node-hours",
        labelArrow: "none",
        labelAnchor: "center",
        tickSize: 0,
        tickFormat: (cost: number) => (hasPrices ? usd(cost).replace(/\.00$/, "") : amount(cost)),
        ticks: size.name === "wide" ? 8 : 3,
      }),
      axisY({ label: `mean wait, ${unit.words}`, labelArrow: "none", tickSize: 0, ticks: 5 }),
      ...(bound !== null
        ? [ruleX([bound], { stroke: "var(--bound)", strokeWidth: 2, strokeDasharray: "6,4" })]
        : []),
      line(front, { x: "cost", y: "wait", stroke: "var(--front)", strokeWidth: 1.5, strokeOpacity: 0.7 }),
      dot(beaten, {
        x: "cost",
        y: "wait",
        r: 5,
        stroke: "var(--beaten)",
        strokeWidth: 2,
        fill: "var(--page)",
      }),
      dot(front, { x: "cost", y: "wait", r: 6, fill: "var(--front)", stroke: "var(--page)" }),
      ...labelled(points, domains, size),
    ],
  }));
}

/** Whether the bound is so near to the runs that they do not shrink to one spot beside it. */
export function isNear(
  boundUsd: number | null,
  runs: readonly { readonly cost: number }[],
): boundUsd is number {
  if (boundUsd === null) return false;
  const costs = runs.map(({ cost }) => cost);
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  return least - boundUsd <= 2 * Math.max(most - least, least * 0.02);
}

function marginsOf({ name }: Size) {
  return { marginLeft: name === "wide" ? 76 : 58, marginRight: 28, marginTop: 30, marginBottom: 46 };
}

/** The numbers of the runs, where they cover nothing. */
function labelled(
  points: readonly { readonly cost: number; readonly wait: number; readonly run: string }[],
  { x, y }: { readonly x: readonly [number, number]; readonly y: readonly [number, number] },
  size: Size,
) {
  const { marginLeft, marginRight, marginTop, marginBottom } = marginsOf(size);
  const [width, height] = [size.width - marginLeft - marginRight, size.height - marginTop - marginBottom];
  const onScreen = points.map(({ cost, wait, run }) => ({
    x: ((cost - x[0]) / (x[1] - x[0])) * width,
    y: (1 - (wait - y[0]) / (y[1] - y[0])) * height,
    text: run,
  }));
  return labelPlaces(onScreen, size.fontSize, width).flatMap((place, index) =>
    place === undefined
      ? []
      : [
          text(points.slice(index, index + 1), {
            x: "cost",
            y: "wait",
            text: "run",
            ...place,
            fontWeight: 600,
            stroke: "var(--page)",
            strokeWidth: 3,
            fill: "currentColor",
          }),
        ],
  );
}

/** Axes do not begin at 0: runs often differ by a few percent. */
function padded(values: readonly number[]): [number, number] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const room = (most - least || most * 0.1 || 1) * 0.12;
  return [Math.max(0, least - room), most + room];
}
