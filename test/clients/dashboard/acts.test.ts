import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser } from "../../support/browser.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { page, usePages } from "./pages.ts";

let stack: LocalStack;

const open = (path: string) =>
  page.goto(`${stack.environment.functionsUrl}/api/dashboard#/clusters/${stack.cluster}/${path}`);

/** Presses an act, gives a reason, looks at the dry run, and confirms. Gives what the dry run said. */
async function act(title: string): Promise<string> {
  await page.getByRole("button", { name: title, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: title });
  await dialog.getByLabel("Reason, for the record").fill("a test");
  await dialog.getByRole("button", { name: "Show what would be done" }).click();
  const answer = dialog.locator(".answer").first();
  await answer.waitFor();
  const said = await answer.innerText();
  expect(await dialog.locator("code").innerText()).toContain("ccscale ");
  await dialog.getByRole("button", { name: title, exact: true }).click();
  await dialog.getByRole("button", { name: "Close" }).click();
  return said;
}

async function choose(node: string): Promise<void> {
  await page.getByRole("checkbox", { name: `Choose ${node}` }).check();
}

describe.skipIf(noBrowser !== undefined)("acts", () => {
  beforeAll(async () => {
    stack = await startStack({ config: { idle_timeout: 86_400 } });
    await stack.post([{ name: "1", constraints: { ncpus: 4 }, iterations: 3 }], { ttlSeconds: 86_400 });
    await eventually(stack.readStatus, ({ nodes }) => (nodes.Ready ?? 0) >= 3);
  }, 600_000);

  afterAll(() => stack?.stop());

  usePages({ look: { width: 1440, colorScheme: "light" } });

  test("nothing can be done to no node", async () => {
    await open("nodes");
    const button = page.getByRole("button", { name: "Delete", exact: true });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
  });

  test.each([
    ["Keep alive", "kept alive", "End keep-alive"],
    ["Ignore", "ignored", "Stop ignoring"],
    ["Drain", "draining", "Undrain"],
  ])("%s: the list shows it, and it ends with %s", async (title, shown, ending) => {
    await open("nodes");
    await choose("htc-1");
    await act(title);
    const row = page.getByRole("row").filter({ hasText: "htc-1" });
    await row.getByText(shown).waitFor();
    await choose("htc-1");
    await act(ending);
    await row.getByText(shown).waitFor({ state: "detached" });
  });

  test("the page of a node says whether it may be deleted, and deletes nothing by that", async () => {
    const deletions = async () =>
      (await stack.readStatus()).operations.filter(({ kind }) => kind === "shutdown-nodes").length;
    const before = await deletions();
    await open("nodes");
    await page.getByRole("link", { name: "htc-2", exact: true }).click();
    await page.getByRole("heading", { name: "Node htc-2" }).waitFor();
    const answer = page.locator("section", { hasText: "May it be deleted?" });
    await answer.getByText(/^(?:Yes|No)\./).waitFor();
    expect(await answer.getByText(/htc-2|1 node|job|idle/).count()).toBeGreaterThan(0);
    expect(await deletions()).toBe(before);
    await open("nodes/no-such-node");
    await page.getByText("The cluster has no node no-such-node now.").waitFor();
  });

  test("a node is deleted, and the page follows it until it is gone", async () => {
    await open("nodes");
    await choose("htc-3");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete" });
    await dialog.getByLabel("Reason, for the record").fill("bad disk");
    await dialog.getByLabel("Your name").fill("ann");
    await dialog.getByRole("button", { name: "Show what would be done" }).click();
    await dialog.locator(".answer").getByText("htc-3").first().waitFor();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByText(/a snapshot shows its effect/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    // It is asked for once.
    await page.reload();
    await choose("htc-1");
    await page.getByRole("button", { name: "Drain", exact: true }).click();
    expect(await page.getByRole("dialog").getByLabel("Your name").inputValue()).toBe("ann");
    const operations = await eventually(
      async () => (await stack.readStatus()).operations,
      (all) => all.some(({ kind, requestedBy }) => kind === "shutdown-nodes" && requestedBy !== null),
    );
    expect(operations).toContainEqual(
      expect.objectContaining({ requestedBy: { who: "dashboard (ann)", why: "bad disk" } }),
    );
  });
});
