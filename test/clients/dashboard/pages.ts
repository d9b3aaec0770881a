import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import {
  accessibilityProblems,
  type Browser,
  isTooWide,
  type Look,
  looks,
  openBrowser,
  openPage,
} from "../../support/browser.ts";
import { isAll } from "../../support/cases.ts";
import { picture } from "./pictures.ts";

/** The page of the test that runs, opened anew for each. */
export let page: Page;
/** What it has reported: errors of its own, and requests that fail or leave this machine. */
export let problems: readonly string[];
let browser: Browser;

const laptop: Look = { width: 1024, colorScheme: "light" };

/** Laid out as the widest of the looks, so that it breaks no other rule; but it may stick out, and pictures want it. */
const wide: Look = { width: 2560, colorScheme: "light" };

/** The views of a cluster, as addresses name them. */
export const views = [
  "overview",
  "nodes",
  "week",
  "jobs",
  "quote",
  "targets",
  "limits",
  "money",
  "plans",
  "events",
  "operations",
  "rejects",
  "config",
] as const;

/** Opens a page for each test of the suite that calls this. `alone`: with a profile of its own, whose clock a test may move. */
export function usePages({ look = laptop, alone = false } = {}): void {
  if (!alone) {
    beforeAll(async () => {
      browser = await openBrowser();
    }, 600_000);
    afterAll(() => browser?.close());
  }

  beforeEach(async () => {
    if (alone) browser = await openBrowser();
    ({ page, problems } = await openPage(browser, look));
  });

  afterEach(() => (alone ? browser.close() : page.close()));
}

/**
 * What is shown fits every screen and breaks no rule of accessibility, on a large screen, and in the dark on a telephone; pictures of it are kept where pictures are wanted.
 * Each view is opened once and resized: to open it anew for each look took most of the time.
 */
export async function expectSound(name: string): Promise<void> {
  const usual = page.viewportSize();
  for (const look of [...looks, wide]) {
    await page.setViewportSize({ width: look.width, height: 900 });
    await page.emulateMedia({ colorScheme: look.colorScheme });
    const about = `${name} at ${look.width} pixels, ${look.colorScheme}`;
    await expect.poll(() => isTooWide(page), { message: `${about}: sticks out` }).toBe(false);
    await picture(page, name, look);
    // A small screen lays out as a large one does, closer together; axe takes longer than all else, so that it reads telephones at night.
    if (look === wide || look.width === 1024 || (look.width === 390 && !isAll)) continue;
    const broken = await accessibilityProblems(page);
    expect({ [about]: broken }).toEqual({ [about]: [] });
  }
  if (usual !== null) await page.setViewportSize(usual);
  await page.emulateMedia({ colorScheme: "light" });
}

/** No hostile name was taken for markup: none of its scripts ran, and nothing of it is an element. */
export async function expectNoScriptRan(): Promise<void> {
  expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  expect(await page.locator("main script, main img, main iframe, main :not(.plot) > svg").count()).toBe(0);
}

/** Polls come thirty times as often: tests wait for what they change, and not for seconds. */
export const oftenPolled = `
  const usual = window.setTimeout;
  window.setTimeout = (work, ms = 0, ...rest) => usual(work, ms >= 1_000 ? ms / 30 : ms, ...rest);
`;
