import type { SwfJob } from "../../../shared/backtest/index.ts";
import { sizesOf } from "./market.ts";
import { type ReplayTerms, replay } from "./replay.ts";

/** Of two families, so that small nodes cost per processor what large ones do. */
const sizes = sizesOf(
  ["D", "E"].flatMap((family) => [4, 8, 16, 32, 48, 64, 96].map((vcpus) => `Standard_${family}${vcpus}s_v5`)),
);
const jobs = 1000;
/** Where in the trace the backlogs begin. */
const starts = [0, 5000, 9000];

interface Choice extends Pick<ReplayTerms, "placement" | "runtimeOf"> {
  readonly name: string;
}

const unknown = () => null;
const choices: readonly Choice[] = [
  { name: "order", placement: "order", runtimeOf: unknown },
  { name: "reuse", placement: "reuse", runtimeOf: unknown },
  { name: "cost", placement: "cost", runtimeOf: unknown },
  {
    name: "cost, time limits",
    placement: "cost",
    runtimeOf: ({ requestedSeconds }) => requestedSeconds ?? null,
  },
  { name: "cost, run times", placement: "cost", runtimeOf: ({ runSeconds }) => runSeconds },
];

/** Backlogs that all wait at once, until the last node is deleted. Returns what is not as promised. */
export function measureLives(trace: readonly SwfJob[]): readonly string[] {
  const backlogs = starts
    .map((start) => trace.slice(start, start + jobs).map((job) => ({ ...job, submitSeconds: 0 })))
    .map((backlog) =>
      backlog.filter((job) =>
        sizes.some((size) => size.vcpus >= job.ncpus && size.memoryGiB >= job.memoryGiB),
      ),
    );
  const sums = choices.map(({ name, ...terms }) => {
    const results = backlogs.map((backlog) => replay(backlog, { ...terms, sizes, dispatch: "first" }));
    const usd = results.reduce((sum, result) => sum + result.usd, 0);
    const shown = results.map((result) => `${result.usd.toFixed(0)} USD on ${result.nodes} nodes`);
    console.log(`  ${name}: ${usd.toFixed(0)} USD (${shown.join(", ")})`);
    return { name, usd };
  });
  const told = sums.at(-1);
  return sums
    .filter(({ usd }) => told !== undefined && usd < told.usd)
    .map(({ name }) => `until the last job ends, ${name} costs less than cost with run times`);
}
