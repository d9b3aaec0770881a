import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { accessibilityProblems, noBrowser } from "../../support/browser.ts";
import { clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { createWorld } from "../../support/world.ts";
import { page, problems } from "./pages.ts";
import { picture } from "./pictures.ts";
import { server, useDashboard } from "./served-dashboard.ts";

const look = { width: 1024, colorScheme: "light" } as const;
const open = (view: string) => page.goto(`${server.url}#/clusters/hpc/${view}`);
const problem = (words: string) =>
  page.getByRole("list", { name: "Problems" }).getByRole("listitem").filter({ hasText: words });

/** Gives a reason, and looks at the dry run. */
async function dryRun(title: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByLabel("Reason, for the record").fill("new image");
  await dialog.getByRole("button", { name: "Show what would be done" }).click();
  await dialog.locator(".answer").waitFor();
  return dialog.innerText();
}

describe.skipIf(noBrowser !== undefined)("what can be done about a problem", () => {
  useDashboard(async () => {
    const nodes = ["htc-1", "htc-2"].map((name, index) =>
      nodeOf({ name, nodeId: `id-${index}`, hostname: `host-${index}` }),
    );
    served.world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays: [nodeArrayOf()], nodes })));
    served.world.cycleCloud.change("htc-2", { status: "Failed" });
    await served.world.snapshot();
  });

  test("failed nodes are retried beside the problem that shows them, and followed", async () => {
    await open("overview");
    const line = problem("ccscale nodes --state Failed");
    await line.getByRole("button", { name: "Retry failed nodes" }).press("Enter");
    const said = await dryRun("Retry failed nodes");
    expect(said).toContain("Would ask for retry-failed: 1 node");
    expect(said).toContain("ccscale retry-failed --cluster hpc --reason 'new image'");
    expect(served.world.cycleCloud.calls).not.toContain("retry");
    await picture(page, "retry", look);
    expect(await accessibilityProblems(page)).toEqual([]);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Retry failed nodes" }).click();
    await dialog.getByText("sent to the executor").waitFor();
    await served.world.settle();
    expect(served.world.cycleCloud.calls).toContain("retry");
    // The problem is gone. The dialog stays.
    await line.waitFor({ state: "detached" });
    await dialog.getByText("a snapshot shows its effect").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(problems).toEqual([]);
  });

  test("failed nodes are one link away, and can be retried there", async () => {
    await open("overview");
    await problem("failed").getByRole("link", { name: "Failed nodes" }).click();
    await page.getByText("htc-2").first().waitFor();
    expect(page.url()).toContain("nodes?where=state%3AFailed");
    await page.getByRole("button", { name: "Retry failed nodes" }).click();
    expect(await dryRun("Retry failed nodes")).toContain("htc-2");
  });

  test("without a failed node there is nothing to retry, and it says so", async () => {
    served.world.cycleCloud.change("htc-2", { status: "Ready" });
    served.world.advance(1);
    await served.world.snapshot();
    await open("nodes");
    await page.getByRole("button", { name: "Retry failed nodes" }).click();
    expect(await dryRun("Retry failed nodes")).toContain("Nothing to do");
    const button = page.getByRole("dialog").getByRole("button", { name: "Retry failed nodes" });
    expect(await button.isDisabled()).toBe(true);
    // Another reason may be given.
    await page.getByRole("button", { name: "Back" }).click();
    expect(await page.getByLabel("Reason, for the record").isEditable()).toBe(true);
  });

  test("a cluster that is paused is resumed beside the problem that says so", async () => {
    await page.clock.setSystemTime(served.world.now() * 1_000);
    await open("overview");
    await page.getByRole("button", { name: "Pause scaling" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("For how long").fill("2 weeks");
    expect(await dialog.locator("input:invalid").count()).toBe(2);
    await dialog.getByLabel("For how long").fill("2h");
    await dryRun("Pause scaling");
    expect(await dialog.locator("code").innerText()).toContain("pause --cluster hpc --for 2h --reason");
    await dialog.getByRole("button", { name: "Pause scaling" }).click();
    await dialog.getByRole("button", { name: "Close" }).click();
    const { paused } = (await served.world.ports.controls.load("hpc"))?.value ?? {};
    expect(paused?.untilSeconds).toBeGreaterThan(served.world.now() + 7_000);
    await problem("Paused by dashboard").getByRole("button", { name: "Resume scaling" }).click();
    await dryRun("Resume scaling");
    await dialog.getByRole("button", { name: "Resume scaling" }).click();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
  });

  test("neither a double click nor a second Enter does what was only to be looked at", async () => {
    const paused = async () => (await served.world.ports.controls.load("hpc"))?.value.paused ?? null;
    await open("overview");
    await page.getByRole("button", { name: "Pause scaling" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason, for the record").fill("a slip");
    await dialog.getByRole("button", { name: "Show what would be done" }).dblclick();
    await dialog.locator(".answer").waitFor();
    await dialog.getByRole("button", { name: "Pause scaling" }).dispatchEvent("click", { detail: 2 });
    await dialog.getByRole("button", { name: "Back" }).click();
    await dialog.getByLabel("Reason, for the record").press("Enter");
    await dialog.locator(".answer").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("answer");
    await page.keyboard.press("Enter");
    expect(await paused()).toBeNull();
    // By keyboard alone, on purpose.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(paused).toMatchObject({ by: "dashboard", reason: "a slip" });
  });

  test("other problems lead to the view that shows more", async () => {
    await served.world.receive("{ no message", "r-1");
    await open("overview");
    await problem("refused or given up").getByRole("link", { name: "Rejects" }).click();
    await page.getByRole("heading", { name: "Rejects" }).waitFor();
  });
});
