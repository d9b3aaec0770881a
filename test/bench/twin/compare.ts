import type { InBacktest } from "./in-backtest.ts";
import type { OnStack } from "./on-stack.ts";
import type { Seen } from "./seen.ts";

/** A workload on the local stack and in the back-test; of pairs the first is the stack's. */
export interface Compared {
  readonly nodes: readonly [number, number];
  readonly nodeHours: readonly [number, number];
  /** By how much the back-test is above the stack, or below it if negative. In simulated time. */
  readonly apartPercent: number;
  readonly apartSecondsANode: number;
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
  readonly speed: number;
  readonly stack: OnStack;
  readonly backtest: InBacktest;
}): Compared {
  const { speed, stack, backtest } = of;
  const [real, modelled] = [speed * nodeSeconds(stack), speed * nodeSeconds(backtest)];
  return {
    faults: stack.faults,
    nodes: [stack.created, backtest.figures.nodes.bought],
    nodeHours: [real / 3_600, modelled / 3_600],
    apartPercent: (100 * (modelled - real)) / real,
    apartSecondsANode: (modelled - real) / stack.created,
  };
}

function nodeSeconds({ nodes }: Seen): number {
  return nodes.reduce(
    (sum, { createdAt, terminatedAt }) => sum + (terminatedAt ?? Number.NaN) - createdAt,
    0,
  );
}
