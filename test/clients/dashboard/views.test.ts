import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accessibilityProblems,
  type Browser,
  isTooWide,
  looks,
  noBrowser,
  openBrowser,
  openPage,
} from "../../support/browser.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { picture } from "./pictures.ts";

const views = [
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

let stack: LocalStack;
let browser: Browser;

const addressOf = (hash = "#/") => `${stack.environment.functionsUrl}/api/dashboard${hash}`;

/** Opens a view, and waits until it has what it asks for. */
async function opened(page: Page, hash: string): Promise<void> {
  await page.goto(addressOf(hash));
  await page.waitForSelector("h1");
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
}

describe.skipIf(noBrowser !== undefined)("the dashboard", () => {
  beforeAll(async () => {
    stack = await startStack();
    await stack.post([
      { name: "1201", constraints: { ncpus: 2 }, iterations: 3, user: "ada", account: "geo" },
      { name: "huge<script>alert(1)</script>", constraints: { ncpus: 4_000 }, user: "bob" },
    ]);
    await eventually(stack.readStatus, ({ nodes }) => (nodes.Ready ?? 0) > 0);
    await stack.send("{ this is no message");
    browser = await openBrowser();
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test.each([...looks, { width: 2560, colorScheme: "light" as const }])(
    "every view at $width pixels, $colorScheme: nothing sticks out, no rule of accessibility is broken",
    async (look) => {
      const { page, problems } = await openPage(browser, look);
      const found: Record<string, unknown> = {};
      const nothing: Record<string, unknown> = {};
      for (const view of ["clusters", ...views, "jobs/1201", "nodes/htc-1", "config/edit"]) {
        await opened(page, view === "clusters" ? "#/" : `#/clusters/${stack.cluster}/${view}`);
        found[view] = { isTooWide: await isTooWide(page), broken: await accessibilityProblems(page) };
        nothing[view] = { isTooWide: false, broken: [] };
        await picture(page, view.replace("/", "-"), look);
      }
      expect(found).toEqual(nothing);
      expect(problems).toEqual([]);
      await page.close();
    },
  );
});
