import { useMemo } from "preact/hooks";
import type { EventView, SamplesAnswer } from "../../../shared/api/index.ts";
import { nodeUses } from "../../../shared/names/node-use.ts";
import { count, usd } from "../words.ts";
import { Chart } from "./chart.tsx";
import { Time } from "./state.tsx";

type Sample = SamplesAnswer["samples"][number];

export function UseCharts(props: { readonly answer: SamplesAnswer; readonly events: readonly EventView[] }) {
  const { answer, events } = props;
  const { samples, stepSeconds, fromSeconds, untilSeconds } = answer;
  const since = samples[0]?.atSeconds ?? fromSeconds;
  const tenth = (untilSeconds - fromSeconds) / 10;
  // A cluster that is younger than what is asked for fills its charts, and says since when.
  const isYoung = since - fromSeconds > tenth;
  const span = [isYoung ? Math.min(since, untilSeconds - tenth) : fromSeconds, untilSeconds] as const;
  const points = useMemo(() => withHoles(samples, stepSeconds), [samples, stepSeconds]);
  const times = useMemo(() => points.map(({ at }) => at), [points]);
  const charts = useMemo(() => {
    const valuesOf = (read: (sample: Sample) => number) =>
      points.map(({ sample }) => (sample === undefined ? null : read(sample)));
    const shown = nodeUses.filter(({ use }) => samples.some(({ nodes }) => nodes[use] > 0));
    return {
      nodes: shown.map(({ use, title }) => ({
        title,
        color: `use-${use}`,
        values: valuesOf(({ nodes }) => nodes[use]),
      })),
      jobs: [
        { title: "Running", color: "use-jobs", values: valuesOf(({ runningJobs }) => runningJobs) },
        { title: "Waiting", color: "use-idle", values: valuesOf(({ waitingJobs }) => waitingJobs) },
      ],
      cost: [{ title: "USD per hour", color: "use-kept", values: valuesOf(({ usdPerHour }) => usdPerHour) }],
    };
  }, [points, samples]);
  if (samples.length === 0) return <p class="quiet">No samples yet: each snapshot leaves one.</p>;
  return (
    <>
      {isYoung ? (
        <p class="quiet">
          Samples since <Time at={since} />.
        </p>
      ) : null}
      <div class="charts">
        <Chart
          title="Nodes by use"
          times={times}
          curves={charts.nodes}
          isStacked
          isWhole
          format={count}
          span={span}
          marked={{ cluster: answer.cluster, events, span }}
        />
        <Chart title="Jobs" times={times} curves={charts.jobs} isWhole format={count} span={span} />
        <Chart title="Cost per hour" times={times} curves={charts.cost} format={usd} span={span} />
      </div>
    </>
  );
}

interface Point {
  readonly at: number;
  readonly sample: Sample | undefined;
}

/** A step without a sample is a gap: no line is drawn across it. */
function withHoles(samples: readonly Sample[], stepSeconds: number): readonly Point[] {
  return samples.flatMap((sample, index): readonly Point[] => {
    const before = samples[index - 1];
    const hasHole = before !== undefined && sample.atSeconds - before.atSeconds > 3 * stepSeconds;
    const point = { at: sample.atSeconds, sample };
    return hasHole ? [{ at: before.atSeconds + stepSeconds, sample: undefined }, point] : [point];
  });
}
