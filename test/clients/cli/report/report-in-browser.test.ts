import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReportInput, reportPage } from "../../../../clients/cli/backtest/report/page.ts";
import {
  accessibilityProblems,
  type Browser,
  isTooWide,
  looks,
  noBrowser,
  openBrowser,
  openPage,
} from "../../../support/browser.ts";
import { isAll } from "../../../support/cases.ts";
import { ownFolder } from "../../../support/own-folder.ts";
import { sampleReport } from "./sample-report.ts";

/** Of two runs: axe looks at each cell of each table. */
function report(names: Parameters<typeof sampleReport>[0]): ReportInput {
  const all = sampleReport(names);
  return { ...all, runs: all.runs.slice(0, 2) };
}

describe.skipIf(noBrowser !== undefined)(
  `the report in Chromium${noBrowser === undefined ? "" : `: skipped, ${noBrowser}`}`,
  () => {
    let browser: Browser;
    const folder = ownFolder();
    let address: string;

    beforeAll(async () => {
      const file = folder("report.html");
      await writeFile(file, await reportPage(report({ workload: "<b>week</b>.swf", job: "<i>a</i>" })));
      address = pathToFileURL(file).href;
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
    });

    test.each(looks)("$width px wide, $colorScheme: no errors, no barriers", async (look) => {
      const { page, problems } = await openPage(browser, look);
      await page.goto(address);
      await page.evaluate(() => {
        const document = (
          globalThis as unknown as { document: { querySelectorAll(of: string): Iterable<{ open: boolean }> } }
        ).document;
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      if (isAll || look.width !== 1024) expect(await accessibilityProblems(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      expect(problems).toEqual([]);
      // One of the two drawings of each picture is shown.
      const pictures = page.locator("svg.plot:visible");
      expect(await pictures.count()).toBe(7);
      const box = await pictures.first().boundingBox();
      expect(box?.width).toBeLessThanOrEqual(look.width);
      expect(box?.height).toBeGreaterThan(150);
      await page.close();
    });

    test("everything is reached by the keyboard: the first stop is the table of runs, Enter opens a table", async () => {
      const { page } = await openPage(browser, { width: 1440, colorScheme: "light" });
      await page.goto(address);
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      expect(await focused.getAttribute("aria-label")).toMatch(/^All runs/);
      const table = page.locator("summary", { hasText: "Waits as a table" }).first();
      await table.focus();
      await page.keyboard.press("Enter");
      expect(
        await page.getByRole("group", { name: "Jobs by how long they waited" }).first().isVisible(),
      ).toBe(true);
      await page.close();
    });
  },
);
