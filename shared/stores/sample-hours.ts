import type { Period, Sample } from "../ports/index.ts";

const minuteSeconds = 60;

const minuteOf = ({ atSeconds }: Sample): number => Math.floor(atSeconds / minuteSeconds);

const byTime = (a: Sample, b: Sample): number => a.atSeconds - b.atSeconds;

/** Samples with one more. The last sample of a minute replaces earlier ones. */
export function withSample(known: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...known.filter((each) => minuteOf(each) !== minuteOf(sample)), sample].toSorted(byTime);
}

/** The samples of a period, in order. */
export function inPeriod(
  samples: readonly Sample[],
  { fromSeconds, untilSeconds }: Period,
): readonly Sample[] {
  return samples
    .filter(({ atSeconds }) => atSeconds >= fromSeconds && atSeconds < untilSeconds)
    .toSorted(byTime);
}
