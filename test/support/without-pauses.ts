import { onTestFinished, vi } from "vitest";

/** Until the test ends, each pause is over at once: those between the attempts to reach a service that does not answer. */
export function withoutPauses(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }).setTimerTickMode("nextTimerAsync");
  onTestFinished(() => void vi.useRealTimers());
}
