import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { twoClusters } from "../../support/two-clusters.ts";
import { expectSound, page, problems } from "./pages.ts";
import { server, useDashboard } from "./served-dashboard.ts";

describe.skipIf(noBrowser !== undefined)("several clusters", () => {
  useDashboard(async () => {
    served.world = await twoClusters();
  });

  test("a quota that they share: who holds, has ordered and waits, as bars and as figures", {
    timeout: 600_000,
  }, async () => {
    await page.goto(`${server.url}#/clusters/hpc/limits`);
    const shared = page.getByRole("region", {
      name: "Who has what of family westeurope/standardFSv2Family",
    });
    await shared.waitFor();
    const rows = await shared.getByRole("row").allInnerTexts();
    const cells = rows.map((row) => row.split("\t"));
    expect(
      cells.map(([name = "", share = "", holds, ordered]) => [name, share.trim(), holds, ordered]),
    ).toEqual([
      ["Cluster", "Share", "Holds", "Ordered"],
      ["hpc", "40 %", "80", "0"],
      ["viz", "10 %", "12", "8"],
      ["others", "54 %", "108", "–"],
    ]);
    expect(await shared.getByRole("meter").count()).toBe(3);
    await page.getByText(/Cannot tell who shares the quotas of bare/).waitFor();
    await expectSound("shared-quotas");
    expect(problems).toEqual([]);
  });
});
