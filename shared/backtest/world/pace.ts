/** Whole hours or days, so that a run has a few hundred steps at most; minutes for short ones. */
export function stepFor(spanSeconds: number): number {
  const steps = [60, 300, 900, 3_600, 3 * 3_600, 6 * 3_600, 86_400];
  return steps.find((step) => spanSeconds / step <= 400) ?? 7 * 86_400;
}

/** Lets others have their turn: a progress bar, or somebody who wants it to end. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
