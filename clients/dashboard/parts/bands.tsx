import { localTime } from "../words.ts";

export interface Band {
  readonly name: string;
  /** Unix seconds. */
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** Times that come again, over a chart of the same span: a line for each name. */
export function Bands(props: {
  readonly bands: readonly Band[];
  readonly span: readonly [from: number, until: number];
}) {
  const [from, until] = props.span;
  const left = (at: number) => `${((at - from) / (until - from)) * 100}%`;
  return (
    <div class="bands" aria-hidden="true">
      {[...Map.groupBy(props.bands, ({ name }) => name)].map(([name, windows]) => (
        <div key={name}>
          {name}
          <div class="life">
            {windows.map(({ fromSeconds, untilSeconds }) => (
              <i
                key={fromSeconds}
                class="use-kept"
                style={{ left: left(fromSeconds), right: `calc(100% - ${left(untilSeconds)})` }}
                title={`${name}, ${localTime(fromSeconds)} to ${localTime(untilSeconds)}`}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
