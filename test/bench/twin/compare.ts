import type { Delays } from "../../../shared/backtest/index.ts";
import { type InBacktest, lateSeconds } from "./in-backtest.ts";
import { durations, livesOf, median, type NodeLife, type Seen, stages } from "./node-life.ts";
import type { OnStack } from "./on-stack.ts";

/** A workload on the local stack and in the back-test; of pairs the first is the stack's. */
export interface Compared {
  readonly name: string;
  readonly speed: number;
  readonly nodes: readonly [number, number];
  readonly nodeHours: readonly [number, number];
  /** By how much the back-test is above the stack, or below it if negative. In simulated time. */
  readonly apartPercent: number;
  readonly apartSecondsANode: number;
  /** What a busy machine added to each step. */
  readonly lateSeconds: number;
  readonly lives: readonly [readonly NodeLife[], readonly NodeLife[]];
  readonly delays: Delays;
  readonly faults: readonly string[];
}

/**
 * What is ten minutes for an operator, and a boot time-out that no node reaches, on the service's clock. Half a second more: plans
 * are made at whole seconds, and so are snapshots. A deadline on a whole second would be met by this snapshot or by the next one as
 * some milliseconds of the machine decide.
 */
export function serviceTimes(speed: number): Readonly<Record<string, number>> {
  return { idle_timeout: Math.round(600 / speed) + 0.5, boot_timeout: Math.round(3_600 / speed) };
}

export function compared(of: {
  readonly name: string;
  readonly speed: number;
  readonly stack: OnStack;
  readonly backtest: InBacktest;
  readonly delays: Delays;
}): Compared {
  const { name, speed, stack, backtest, delays } = of;
  const seconds = [stack, backtest].map((seen) => speed * nodeSeconds(seen));
  const lives = [livesOf(stack), livesOf(backtest)] as const;
  const [real = Number.NaN, modelled = Number.NaN] = seconds;
  return {
    name,
    speed,
    delays,
    faults: stack.faults,
    nodes: [stack.created, backtest.figures.nodes.bought],
    nodeHours: [real / 3_600, modelled / 3_600],
    apartPercent: (100 * (modelled - real)) / real,
    apartSecondsANode: (modelled - real) / stack.created,
    lateSeconds: lateSeconds(stack),
    lives,
  };
}

function nodeSeconds({ nodes }: Seen): number {
  return nodes.reduce(
    (sum, { createdAt, terminatedAt }) => sum + (terminatedAt ?? Number.NaN) - createdAt,
    0,
  );
}

/** The medians of each stage in both, and by how much their means differ; in simulated seconds. */
export function stageLines(result: Compared): readonly string[] {
  const {
    lives: [stack, backtest],
    speed,
    delays,
  } = result;
  const text = (seconds: number) => (speed * seconds).toFixed(1);
  return [
    "  stage | stack | back-test | means apart (simulated seconds)",
    ...stages.map((stage) => {
      const [real, modelled] = [durations(stack, stage), durations(backtest, stage)];
      const apart = mean(modelled) - mean(real);
      return `  ${stage.name} | ${text(median(real))} | ${text(median(modelled))} | ${text(apart)}`;
    }),
    `  delays in real seconds: ${Object.entries({ ...delays, lateSeconds: result.lateSeconds })
      .map(([name, seconds]) => `${name} ${seconds.toFixed(3)}`)
      .join(", ")}`,
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
