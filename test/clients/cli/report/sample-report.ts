import type { ReportInput } from "../../../../clients/cli/backtest/report/page.ts";
import type { RunFigures, SettingValue, TraceJob } from "../../../../shared/backtest/index.ts";
import { figuresOf } from "../../../shared/backtest/figures-of.ts";

const hourMs = 3_600_000;
const startSeconds = Date.parse("2027-01-11T00:00:00Z") / 1_000;

/** Two weeks of working days, so that pictures of them look like something. */
function sampleRun(varied: Readonly<Record<string, SettingValue>>, thrift: number): RunFigures {
  const steps = 14 * 24;
  const wave = Array.from({ length: steps }, (_, step) => {
    const isWeekend = Math.floor(step / 24) % 7 > 4;
    const daily = Math.max(0, Math.sin(((step % 24) - 6) * (Math.PI / 12)));
    return (isWeekend ? 4 : 30) * daily + 3 + ((step * 7_919) % 13) / 3;
  });
  const part = (share: number) => wave.map((nodes) => Math.round(nodes * share * hourMs));
  const waits = Array.from({ length: 800 }, (_, job) =>
    job % 97 === 96 ? null : Math.round(240 + ((job * 7_919) % 1_009) ** 2 * 0.004 * (0.2 + thrift)),
  );
  const figures = figuresOf({
    varied,
    startSeconds,
    nodeMs: {
      job: part(0.7),
      unused: part(0.12),
      boot: part(0.05),
      idle: part(0.25 * (1.5 - thrift)),
      ending: part(0.01),
    },
    // 0.36 dollars an hour.
    nanoUsdPerMs: 100,
    waits,
  });
  const processors = (values: readonly number[], each: number) => values.map((value) => value * each);
  const { series } = figures;
  return {
    ...figures,
    series: {
      ...series,
      waitingJobMs: part(0.4 * thrift),
      waitingProcessorMs: processors(part(0.1 * thrift), 16),
      runningProcessorMs: processors(part(0.7), 16),
      nodeProcessorMs: processors(series.nodeProcessorMs, 16),
    },
  };
}

/** The report of six runs. */
export function sampleReport(names: { readonly workload?: string; readonly job?: string } = {}): ReportInput {
  const runs = [60, 300, 900].flatMap((idle, index) =>
    ["reuse", "cost"].map((placement, other) =>
      sampleRun({ idle_timeout: idle, placement }, 1 - index * 0.3 - other * 0.05),
    ),
  );
  const jobs = Array.from(
    { length: 800 },
    (_, job): TraceJob => ({
      name: String(1_000 + job),
      submitSeconds: startSeconds + job * 1_500,
      runSeconds: 600,
      requestedSeconds: null,
      processors: 4,
      user: "ada",
      jobName: names.job ?? "relax",
    }),
  );
  return {
    workload: names.workload ?? "week.swf.gz",
    runs,
    jobs,
    best: {
      ok: true,
      best: {
        boundNanoUsd: 1_120e9,
        boundLeavesOut: ["Jobs may be cut into parts.", "Nodes boot at once and are never idle."],
        foreseenNanoUsd: 1_290e9,
        foreseenLeavesOut: ["Limits and quotas."],
        jobsLeftOut: 8,
      },
    },
  };
}
