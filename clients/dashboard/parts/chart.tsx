import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { localTime } from "../words.ts";
import { eventWords } from "./event-groups.ts";
import { EventLane, type Marked } from "./event-lane.tsx";
import { Table } from "./table.tsx";
import { timeMark, timeSteps, timesBetween } from "./time-axis.ts";

export interface Curve {
  readonly title: string;
  /** Name of a colour of `style.css`. */
  readonly color: string;
  /** At the chart's times; null: unknown. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly curves: readonly Curve[];
  readonly isStacked?: boolean;
  readonly format: (value: number) => string;
  /** Unix seconds: what the chart spans, whether all of it is known or not. */
  readonly span: readonly [from: number, until: number];
  /** Whether values are whole numbers, and so the marks of the axis. */
  readonly isWhole?: boolean;
  /** What happened then. */
  readonly marked?: Marked;
}

const mostTableRows = 48;
const wholeSteps = [1, 2, 5]
  .flatMap((step) => [1, 10, 100, 1_000, 10_000, 100_000].map((power) => step * power))
  .toSorted((a, b) => a - b);

/** Curves over time, with their figures in a table beside them. */
export function Chart({
  title,
  times,
  curves,
  isStacked = false,
  format,
  span,
  isWhole = false,
  marked,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const shown = useRef(span);
  shown.current = span;
  const names = curves.map((curve) => curve.title).join();
  // Drawn anew when the curves are others; their values are set below.
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf({ curves, isStacked, format, isWhole, spanNow: () => shown.current }, element.clientWidth),
        dataOf({ times, curves, isStacked }),
        element,
      );
    };
    draw();
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: heightFor(element.clientWidth) }),
    );
    sizes.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      sizes.disconnect();
      scheme.removeEventListener("change", draw);
      plot.current?.destroy();
    };
  }, [names, isStacked, isWhole, format]);
  useEffect(() => plot.current?.setData(dataOf({ times, curves, isStacked })), [times, curves, isStacked]);

  const step = Math.max(1, Math.ceil(times.length / mostTableRows));
  const rows = times
    .map((at, index) => ({ at, index }))
    .filter(({ index }) => (times.length - 1 - index) % step === 0);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div class="legend" aria-hidden="true">
        {curves.map((curve) => (
          <span key={curve.title}>
            <i class={`swatch ${curve.color}`} /> {curve.title}
          </span>
        ))}
      </div>
      {marked === undefined ? null : <EventLane {...marked} />}
      <div ref={box} class="plot" aria-hidden="true" />
      <details>
        <summary>{title} as a table</summary>
        <Table
          caption={title}
          rows={rows.toReversed()}
          keyOf={({ at }) => String(at)}
          columns={[
            { title: "Time", cell: ({ at }) => localTime(at) },
            ...curves.map((curve) => ({
              title: curve.title,
              isNumber: true,
              cell: ({ index }: { index: number }) => {
                const value = curve.values[index];
                return value === null || value === undefined ? "–" : format(value);
              },
            })),
            ...(marked === undefined
              ? []
              : [
                  {
                    title: "Events",
                    cell: ({ at, index }: { at: number; index: number }) => {
                      const before = times[index - step] ?? span[0];
                      return (
                        eventWords(
                          marked.events.filter(({ atSeconds }) => atSeconds > before && atSeconds <= at),
                        ) || "–"
                      );
                    },
                  },
                ]),
          ]}
        />
      </details>
    </figure>
  );
}

function heightFor(width: number): number {
  return width < 500 ? 180 : 240;
}

type Drawn = Pick<ChartProps, "times" | "curves" | "isStacked">;

/** uPlot stacks nothing: each curve gets the sum of those below it, the topmost is drawn first. */
function dataOf({ times, curves, isStacked }: Drawn): uPlot.AlignedData {
  if (isStacked !== true) return [[...times], ...curves.map(({ values }) => [...values])];
  const sums = times.map(() => 0);
  const stacked = curves.map(({ values }) =>
    values.map((value, index) => {
      if (value === null) return null;
      sums[index] = (sums[index] ?? 0) + value;
      return sums[index] ?? null;
    }),
  );
  return [[...times], ...stacked.toReversed()];
}

function optionsOf(
  {
    curves,
    isStacked,
    format,
    isWhole,
    spanNow,
  }: Pick<ChartProps, "curves" | "isStacked" | "format" | "isWhole"> & {
    readonly spanNow: () => ChartProps["span"];
  },
  width: number,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const drawn = isStacked === true ? curves.toReversed() : curves;
  const axis = {
    stroke: color("quiet"),
    grid: { stroke: color("line"), width: 1 },
    ticks: { stroke: color("line") },
  };
  return {
    width,
    height: heightFor(width),
    // As wide as the lane of events above is set in.
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [...spanNow()] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        space: 80,
        incrs: [...timeSteps],
        splits: (_, __, from, until, step) => timesBetween(from, until, step),
        values: (_, ticks, __, ___, step) => ticks.map((at) => timeMark(at, step)),
      },
      {
        ...axis,
        size: (_, ticks) => 24 + 7.5 * Math.max(5, ...(ticks ?? []).map(({ length }) => length)),
        ...(isWhole === true ? { incrs: wholeSteps } : {}),
        values: (_, ticks) => ticks.map(format),
      },
    ],
    series: [
      {},
      ...drawn.map((curve) => ({
        label: curve.title,
        stroke: color(curve.color),
        width: isStacked === true ? 1 : 2,
        points: { show: false },
        ...(isStacked === true ? { fill: color(curve.color) } : {}),
      })),
    ],
  };
}
