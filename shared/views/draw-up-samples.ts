import type { SamplesAnswer, SamplesQuery } from "../api/index.ts";
import type { Ports, Sample } from "../ports/index.ts";
import type { Selected } from "./node-selection.ts";

const daySeconds = 86_400;
/** As many as a chart has room for, at a minute or a multiple that people count in. */
const mostSteps = 720;
const steps = [60, 120, 300, 600, 900, 1_800, 3_600] as const;

/** The time that a query names, or the last day. */
export function periodOf(
  { from, until }: SamplesQuery,
  atSeconds: number,
): Selected<Pick<SamplesAnswer, "fromSeconds" | "untilSeconds">> {
  const untilSeconds = until ?? atSeconds;
  const fromSeconds = from ?? untilSeconds - daySeconds;
  return fromSeconds < untilSeconds
    ? { ok: true, answer: { fromSeconds, untilSeconds } }
    : { ok: false, problems: [`from: ${fromSeconds}, expected less than until (${untilSeconds})`] };
}

/** How a cluster was over time. Undefined for a cluster that is not configured. */
export async function drawUpSamples(
  ports: Pick<Ports, "clock" | "configs" | "samples">,
  cluster: string,
  query: SamplesQuery,
): Promise<Selected<SamplesAnswer> | undefined> {
  if (!(await ports.configs.clusters()).includes(cluster)) return undefined;
  const atSeconds = ports.clock.nowSeconds();
  const period = periodOf(query, atSeconds);
  if (!period.ok) return period;
  const { fromSeconds, untilSeconds } = period.answer;
  const found = await ports.samples.list(cluster, { fromSeconds, untilSeconds: untilSeconds + 1 });
  const stepSeconds = steps.find((step) => (untilSeconds - fromSeconds) / step <= mostSteps) ?? 3_600;
  const samples = newestOfEachStep(found, stepSeconds).map(viewOf);
  return { ok: true, answer: { cluster, atSeconds, fromSeconds, untilSeconds, stepSeconds, samples } };
}

function newestOfEachStep(samples: readonly Sample[], stepSeconds: number): readonly Sample[] {
  const byStep = new Map(samples.map((sample) => [Math.floor(sample.atSeconds / stepSeconds), sample]));
  return [...byStep.values()];
}

function viewOf({ nodes, usdPerHour, used: _, ...sample }: Sample): SamplesAnswer["samples"][number] {
  const none = { jobs: 0, boot: 0, idle: 0, drained: 0, kept: 0, failed: 0, ending: 0 };
  return { ...sample, nodes: { ...none, ...nodes }, usdPerHour: Math.round(usdPerHour * 1e4) / 1e4 };
}
