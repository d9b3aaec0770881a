import { monitorEventLoopDelay } from "node:perf_hooks";

/** Timers that come later than this show a machine that is busy with something else. */
const disturbedMs = 150;
const mostRuns = 20;

/**
 * For what is over after a moment, such as a brief lock. On a busy machine the moment may have passed before the test could
 * use it, which tells nothing about the broker: such a run is repeated, as often as the event loop was held up meanwhile.
 */
export async function undisturbed(run: () => Promise<void>): Promise<void> {
  for (let runs = 1; ; runs++) {
    const delays = monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
    try {
      return await run();
    } catch (error) {
      if (delays.max / 1e6 < disturbedMs || runs === mostRuns) throw error;
    } finally {
      delays.disable();
    }
  }
}
