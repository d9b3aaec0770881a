/**
 * `FUZZ_SEED` and `FUZZ_RUNS` (a factor; 2 in the nightly workflow) try other and more messages than every day; a failure prints its seed, its path
 * and the smallest recipe that fails.
 */
const factor = Number(process.env.FUZZ_RUNS ?? (process.env.TEST_CASES === "all" ? 2 : 1));
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);

export function runs(everyDay: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: everyDay * factor, seed };
}

/** For a machine that is busy with other things. */
export const patienceMs = 300_000 * factor;
