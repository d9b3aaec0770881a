import { area, line } from "d3-shape";
import { useMemo } from "preact/hooks";
import { type Band, bandsOf, timeMarks, topOf, valueMarks } from "./plot-marks.ts";
import { timeMark } from "./time-axis.ts";
import { useWidth } from "./use-width.ts";

interface Curve {
  readonly title: string;
  /** Name of a colour of `style.css`. */
  readonly color: string;
  /** At the chart's times; null: unknown. */
  readonly values: readonly (number | null)[];
}

export interface PlotProps {
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly curves: readonly Curve[];
  readonly isStacked?: boolean;
  readonly format: (value: number) => string;
  /** Unix seconds: what the chart spans, whether all of it is known or not. */
  readonly span: readonly [from: number, until: number];
  /** Whether values are whole numbers, and so the marks of the axis. */
  readonly isWhole?: boolean;
}

/** Room around the curves, in pixels. The lane of events above is set in like this, see `style.css`. */
const edges = { top: 8, right: 24, bottom: 28, left: 64 };

/** The curves of a chart and their axes, as wide as there is room. What they show is in the table beside them. */
export function Plot({ times, curves, isStacked = false, isWhole = false, format, span }: PlotProps) {
  const { box, width } = useWidth();
  const height = width < 500 ? 180 : 240;
  const right = width - edges.right;
  const bottom = height - edges.bottom;
  const bands = useMemo(() => bandsOf(curves, isStacked), [curves, isStacked]);
  const top = useMemo(() => topOf(bands), [bands]);
  const [from, until] = span;
  const x = (at: number) => edges.left + ((at - from) / Math.max(1, until - from)) * (right - edges.left);
  const y = (value: number) => bottom - (value / top) * (bottom - edges.top);
  const paths = useMemo(
    () => pathsOf(bands, (index) => x(times[index] ?? from), y),
    [bands, times, width, from, until],
  );
  const marks = timeMarks(span, right - edges.left);
  return (
    <div ref={box} class="plot">
      {width <= edges.left + edges.right ? null : (
        <svg width={width} height={height} aria-hidden="true">
          {valueMarks(top, isWhole).map((value) => (
            <g key={value}>
              <line x1={edges.left} x2={right} y1={y(value)} y2={y(value)} />
              <text x={edges.left - 8} y={y(value) + 4} text-anchor="end">
                {/* Whole dollars: cents have no room there. */}
                {format(value).replace(/\.00$/, "")}
              </text>
            </g>
          ))}
          {marks.times.map((at) => (
            <g key={at}>
              <line x1={x(at)} x2={x(at)} y1={edges.top} y2={bottom} />
              <text x={x(at)} y={height - 8} text-anchor="middle">
                {timeMark(at, marks.step)}
              </text>
            </g>
          ))}
          {curves.map(({ title, color }, index) => (
            <g key={title} class={`curve ${color}`}>
              {isStacked ? <path class="filled" d={paths[index]?.filled} /> : null}
              <path class="drawn" d={paths[index]?.drawn} />
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

function pathsOf(bands: readonly Band[], x: (index: number) => number, y: (value: number) => number) {
  const isKnown = (at: Band[number]) => at !== null;
  const filled = area<Band[number]>()
    .defined(isKnown)
    .digits(1)
    .x((_, index) => x(index))
    .y0((at) => y(at?.[0] ?? 0))
    .y1((at) => y(at?.[1] ?? 0));
  const drawn = line<Band[number]>(
    (_, index) => x(index),
    (at) => y(at?.[1] ?? 0),
  )
    .defined(isKnown)
    .digits(1);
  return bands.map((band) => ({ filled: filled(band) ?? "", drawn: drawn(band) ?? "" }));
}
