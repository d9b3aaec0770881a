import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Look } from "../../support/browser.ts";

/** Set: pictures of what tests see are written there, to be looked at. */
const pictures: string | undefined = process.env.DASHBOARD_PICTURES;

/** Writes what the page shows, all of it; nothing where no pictures are wanted. */
export async function picture(page: Page, name: string, { width, colorScheme }: Look): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true });
}
