import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser } from "../../support/browser.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { expectSound, page, problems, usePages, views } from "./pages.ts";

let stack: LocalStack;

const addressOf = (hash = "#/") => `${stack.environment.functionsUrl}/api/dashboard${hash}`;

/** Opens a view, and waits until it has what it asks for. */
async function opened(hash: string): Promise<void> {
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
  }, 600_000);

  afterAll(() => stack?.stop());

  usePages();

  test("every view nothing sticks out, no rule of accessibility is broken in any look", {
    timeout: 600_000,
  }, async () => {
    for (const view of ["clusters", ...views, "jobs/1201", "nodes/htc-1", "nodes?show=map", "config/edit"]) {
      await opened(view === "clusters" ? "#/" : `#/clusters/${stack.cluster}/${view}`);
      await expectSound(view.replace(/[/?]/, "-"));
    }
    expect(problems).toEqual([]);
  });
});
