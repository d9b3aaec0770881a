import type { Page } from "playwright-core";

/** What the Tab key reaches, once around, by its label or text. */
export async function tabStops(page: Page): Promise<readonly string[]> {
  const stops: string[] = [];
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate<string | null>(
      `(({ activeElement: at, body }) => at === null || at === body ? null :
        at.ariaLabel ?? at.labels?.[0]?.firstChild?.textContent ?? at.textContent)(document)`,
    );
    // Between the last one and the first.
    if (stop === null) continue;
    if (stop.trim() === stops[0]) break;
    stops.push(stop.trim());
  }
  return stops;
}
