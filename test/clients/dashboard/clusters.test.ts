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

  test("one search over all: nodes, jobs and users, each a way to its list", {
    timeout: 600_000,
  }, async () => {
    await served.world.post([
      { name: "htc-20", constraints: { ncpus: 4 } },
      { name: "2", constraints: { ncpus: 4 }, user: "htc-20" },
    ]);
    await served.world.plan();
    await page.goto(server.url);
    const search = page.getByLabel("Cluster, node, job or user");
    const found = page.getByRole("table", { name: "What was found" });
    for (const [text, rows] of [
      ["htc-20", ["hpc\t1 job", "hpc\t1 job of user htc-20", "hpc\t1 node"]],
      ["array:htc", ["hpc\t20 nodes", "viz\t3 nodes"]],
    ] as const) {
      await search.fill(text);
      await search.press("Enter");
      await page.getByText("2 clusters asked.").waitFor();
      await expect.poll(async () => (await found.getByRole("row").allInnerTexts()).slice(1)).toEqual(rows);
    }
    await search.fill("nobody");
    await search.press("Enter");
    await page.getByText("No node, job or user is like that.").waitFor();
    await search.fill("cost>dear");
    await search.press("Enter");
    await page.getByText("where: cost>dear: expected a number").waitFor();
    await search.fill("htc-20");
    await search.press("Enter");
    await found.getByRole("link", { name: "1 node" }).waitFor();
    await expectSound("search");
    await found.getByRole("link", { name: "1 node" }).click();
    await page.getByRole("heading", { name: "Nodes", exact: true }).waitFor();
    expect(await page.getByLabel("Filter", { exact: true }).inputValue()).toBe("htc-20");
    // A list refuses keys of the other.
    expect(problems.filter((each) => !each.includes("status of 400"))).toEqual([]);
  });
});
