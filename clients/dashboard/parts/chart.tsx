import { localTime } from "../words.ts";
import { type Band, Bands } from "./bands.tsx";
import { eventWords } from "./event-groups.ts";
import { EventLane, type Marked } from "./event-lane.tsx";
import { Plot, type PlotProps } from "./plot.tsx";
import { type ColumnOf, Table } from "./table.tsx";

interface ChartProps extends PlotProps {
  readonly title: string;
  readonly marked?: Marked;
  /** Times that are marked above the curves. Say them elsewhere in words, too. */
  readonly bands?: readonly Band[];
  /** The table's. */
  readonly mostRows?: number;
}

type Row = { readonly at: number; readonly index: number };

export function Chart(props: ChartProps) {
  const { title, times, curves, format, span, marked, bands = [], mostRows = 48 } = props;
  const step = Math.max(1, Math.ceil(times.length / mostRows));
  const rows = times
    .map((at, index): Row => ({ at, index }))
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
      <Bands bands={bands} span={span} />
      <Plot {...props} />
      <details>
        <summary>{title} as a table</summary>
        <Table
          caption={title}
          rows={rows.toReversed()}
          rowKey={({ at }) => String(at)}
          columns={[
            ["Time", ({ at }) => localTime(at)],
            ...curves.map(
              ({ title: of, values }): ColumnOf<Row> => [
                of,
                ({ index }) => {
                  const value = values[index];
                  return value === null || value === undefined ? "–" : format(value);
                },
                "number",
              ],
            ),
            ...(marked === undefined
              ? []
              : [
                  [
                    "Events",
                    ({ at, index }: Row) => {
                      const before = times[index - step] ?? span[0];
                      return (
                        eventWords(
                          marked.events.filter(({ atSeconds }) => atSeconds > before && atSeconds <= at),
                        ) || "–"
                      );
                    },
                  ] as const,
                ]),
          ]}
        />
      </details>
    </figure>
  );
}
