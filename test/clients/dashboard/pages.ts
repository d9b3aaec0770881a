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
import { picture } from "./pictures.ts";

/** The page of the test that runs, opened anew for each. */
export let page: Page;
/** What it has reported: errors of its own, and requests that fail or leave this machine. */
export let problems: readonly string[];
let browser: Browser;

const laptop: Look = { width: 1024, colorScheme: "light" };

/** Every look, and a wide screen. */
export const everyLook: readonly Look[] = [...looks, { width: 2560, colorScheme: "light" }];

/** The views of a cluster, as addresses name them. */
export const views = [
  "overview",
  "nodes",
  "jobs",
  "targets",
  "limits",
  "money",
  "plans",
  "events",
  "operations",
  "rejects",
  "config",
] as const;

/** Opens a page for each test of the suite that calls this. `alone`: in a browser of its own, whose clock a test may move. */
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

/** Shows the page in another look from now on: a new page. */
export async function openAs(look: Look): Promise<void> {
  await page.close();
  ({ page, problems } = await openPage(browser, look));
}

/** What is shown fits its screen and breaks no rule of accessibility; a picture of it is kept where pictures are wanted. */
export async function expectSound(name: string, look: Look): Promise<void> {
  await picture(page, name, look);
  const found = { isTooWide: await isTooWide(page), broken: await accessibilityProblems(page) };
  expect({ [name]: found }).toEqual({ [name]: { isTooWide: false, broken: [] } });
}

/** No hostile name was taken for markup: none of its scripts ran, and nothing of it is an element. */
export async function expectNoScriptRan(): Promise<void> {
  expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  expect(await page.locator("main script, main img, main iframe, main :not(.plot) > svg").count()).toBe(0);
}
