import type { RunReport } from "./run.ts";
import type { Departures } from "./watch.ts";

/** What many runs came to, in figures. */
export interface Tally extends Departures {
  readonly runs: number;
  readonly simulatedHours: number;
  readonly nodesCreated: number;
  readonly nodesNeverSeen: number;
  readonly windows: RunReport["windows"];
  readonly faults: ReadonlyMap<string, number>;
  readonly failed: readonly RunReport[];
  /** Simulated seconds from the last trouble to the end, of runs that had something left to do. */
  readonly medianSeconds: number;
  readonly worst: { readonly seconds: number; readonly seed: number; readonly scenario: string };
}

export function tally(reports: readonly RunReport[]): Tally {
  const faults = new Map<string, number>();
  for (const { kind } of reports.flatMap((report) => report.faults))
    faults.set(kind, (faults.get(kind) ?? 0) + 1);
  const converged = reports
    .flatMap(({ convergedAfterSeconds: seconds, seed, scenario }) =>
      seconds === undefined ? [] : [{ seconds, seed, scenario }],
    )
    .sort((left, right) => left.seconds - right.seconds);
  const none = { seconds: 0, seed: 0, scenario: "none" };
  return {
    runs: reports.length,
    simulatedHours: sum(reports.map((report) => report.lastedSeconds)) / 3600,
    nodesCreated: sum(reports.map((report) => report.created)),
    nodesNeverSeen: sum(reports.map((report) => report.neverSeen)),
    windows: {
      begun: sum(reports.map(({ windows }) => windows.begun)),
      met: sum(reports.map(({ windows }) => windows.met)),
    },
    faults: new Map([...faults].sort(([left], [right]) => left.localeCompare(right))),
    failed: reports.filter((report) => report.violations.length > 0),
    medianSeconds: (converged[Math.floor(converged.length / 2)] ?? none).seconds,
    worst: converged.at(-1) ?? none,
    raced: sum(reports.map((report) => report.raced)),
    drained: sum(reports.map((report) => report.drained)),
    drainTimedOut: sum(reports.map((report) => report.drainTimedOut)),
    deallocated: sum(reports.map((report) => report.deallocated)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
