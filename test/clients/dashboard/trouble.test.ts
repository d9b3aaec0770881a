import type { Request } from "playwright-core";
import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { some } from "../../support/cases.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { worldWith } from "../../support/world.ts";
import { hostileNames } from "./hostile-names.ts";
import { expectNoScriptRan, expectSound, page, problems, views } from "./pages.ts";
import { api, server, useDashboard } from "./served-dashboard.ts";

/** A cluster whose nodes, waiting jobs, users and rejected messages are called so. */
async function seen(names: readonly string[]): Promise<void> {
  const nodes = names.map((name, index) =>
    nodeOf({ name, nodeId: `id-${index}`, hostname: `host-${index}` }),
  );
  const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
  served.world = world;
  if (names.length > 1) {
    const job = { constraints: { ncpus: 1_000 } };
    await world.post(names.map((name) => ({ ...job, name, user: name, account: name, queue: name })));
    for (const name of names) await world.receive(name);
  }
  await world.snapshot();
  world.advance(1);
  await world.plan();
}

const text = () => page.locator("body").innerText();

describe.skipIf(noBrowser !== undefined)("trouble", () => {
  useDashboard(async () => {
    await seen(["htc-1"]);
  });

  test("a wrong key is refused with words, the right one shows the clusters and is in no address", async () => {
    server.wantKey("right-key");
    await page.goto(server.url);
    await page.getByLabel("Function key").fill("wrong-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Function key").fill("right-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "hpc" }).waitFor();
    expect(page.url()).not.toContain("key");
    expect(server.paths().join(" ")).not.toContain("key");
    expect(await page.evaluate("Object.keys(sessionStorage).length + Object.keys(localStorage).length")).toBe(
      0,
    );
    // It was not kept: a reload asks again.
    await page.reload();
    await page.getByLabel("Function key").waitFor();
  });

  test("of many clusters those come first in which something is wrong, and a part of a name finds one", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `cluster-${index + 1}`);
    // Nothing that the page has seen before: an answer has a body each time.
    const asNew = (request: Request) => ({ ...request.headers(), "if-none-match": "" });
    await page.route(/\/api\/clusters$/, async (route, request) => {
      const answer = await route.fetch({ headers: asNew(request) });
      const body = (await answer.json()) as { clusters: object[] };
      const clusters = names.map((cluster) => ({ ...body.clusters[0], cluster }));
      await route.fulfill({ response: answer, json: { ...body, clusters } });
    });
    await page.route(/\/clusters\/cluster-\d+\/status$/, async (route, request) => {
      const name = request.url().split("/").at(-2) ?? "";
      const answer = await route.fetch({ url: request.url().replace(name, "hpc"), headers: asNew(request) });
      const status = (await answer.json()) as object;
      const problem = (gravity: string) => ({ gravity, kind: "paused", text: "Something.", next: "Look." });
      const gravity = { "cluster-7": "stopped", "cluster-9": "degraded" }[name];
      const of = gravity === undefined ? [] : [problem(gravity)];
      await route.fulfill({ response: answer, json: { ...status, problems: of } });
    });
    await page.goto(server.url);
    const cards = page.getByRole("heading", { level: 2 });
    await expect
      .poll(() => cards.allInnerTexts())
      .toEqual(["cluster-7", "cluster-9", ...names.filter((_, index) => index !== 6 && index !== 8)]);
    await expectSound("many-clusters");
    await page.getByLabel("Cluster, node, job or user").fill("ER-1");
    await page.getByText("4 of 12 clusters").waitFor();
    expect(await cards.allInnerTexts()).toEqual(["cluster-1", "cluster-10", "cluster-11", "cluster-12"]);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("a key that is kept lives until the viewer signs out", async () => {
    server.wantKey("right-key");
    await page.goto(server.url);
    await page.getByLabel("Function key").fill("right-key");
    await page.getByLabel("Keep it in this tab").check();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "hpc" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "hpc" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Function key").waitFor();
    expect(await page.evaluate("Object.keys(sessionStorage).length")).toBe(0);
  });

  test("a service that does not answer is reported", async () => {
    await page.goto(`${server.url}#/clusters/hpc/overview`);
    await page.getByText("Nothing is wrong.").waitFor();
    server.fail("gone");
    await page.getByText("The service does not answer").first().waitFor();
  });

  test.each(["events?from=nonsense", `jobs/job-1?try=${encodeURIComponent('{"limits":[null]}')}`])(
    "an address with nonsense in it, %s, says so and leaves the other views",
    async (address) => {
      await served.world.post([{ name: "job-1", constraints: { ncpus: 1_000 } }]);
      await page.goto(`${server.url}#/clusters/hpc/${address}`);
      await page.getByText("This view cannot be shown").waitFor();
      await page.getByRole("link", { name: "Overview" }).click();
      await page
        .getByRole("heading", { name: "hpc" })
        .or(page.getByText("Nothing is wrong."))
        .first()
        .waitFor();
      expect(await text()).not.toContain("cannot be shown");
    },
  );

  test("one trouble is one report, however many things a view asks for", async () => {
    await page.goto(server.url);
    await page.getByText("No problems").waitFor();
    server.fail(503);
    await page.getByRole("alert").waitFor();
    await expect.poll(() => server.statuses().filter((status) => status === 503).length).toBeGreaterThan(1);
    expect(await page.getByRole("alert").count()).toBe(1);
    expect(await text()).toContain("No problems");
    expect(await page.getByRole("alert").innerText()).toContain("What you see is as of");
    server.fail(undefined);
    await page.getByRole("button", { name: "Try again now" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("a key that is revoked meanwhile leads to the sign-in, and a new one back to where one was", async () => {
    server.wantKey("first-key");
    await page.goto(`${server.url}#/clusters/hpc/jobs`);
    await page.getByLabel("Function key").fill("first-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
    server.wantKey("second-key");
    await page.getByText("The key or token is not accepted: sign in again").waitFor();
    expect(await text()).not.toContain("Jobs");
    await page.getByLabel("Function key").fill("second-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  });

  test("a slow answer is waited for, with words, and nothing is asked for twice", async () => {
    await page.goto(server.url);
    await page.getByText("No problems").waitFor();
    server.hold();
    await page.getByRole("link", { name: "hpc" }).click();
    await page.getByRole("link", { name: "Plans" }).click();
    await page.getByText("The service takes long to answer").waitFor();
    expect(server.paths().filter((path) => path.includes("/plans?"))).toHaveLength(1);
    server.release();
    await page.getByRole("table", { name: "Plans, newest first" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test.each([
    ["nobody/nodes", "No cluster “nobody” is configured. These are:", "hpc", "/clusters/hpc/overview"],
    ["hpc/nodes", "This address names no view. You may mean", "nodes of hpc", "/clusters/hpc/nodes"],
  ])("an address that names nothing, #/%s, says so and leads on", async (address, words, link, to) => {
    await page.goto(`${server.url}#/${address}`);
    await page.getByRole("alert").getByText(words).waitFor();
    await page.getByRole("link", { name: link, exact: true }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(page.url()).toContain(to);
  });

  test("a view of a cluster that does not exist lists those that do, once", async () => {
    for (const view of ["overview", "nodes", "jobs", "money", "plans", "events", "config"]) {
      await page.goto(`${server.url}#/clusters/nobody/${view}`);
      await page
        .getByText(/No cluster "nobody" is configured|Configured:/)
        .first()
        .waitFor();
      const alert = page.getByRole("alert");
      await alert.getByRole("link", { name: "hpc", exact: true }).waitFor();
      expect({ [view]: await alert.count() }).toEqual({ [view]: 1 });
    }
    await page.getByRole("alert").getByRole("link", { name: "hpc", exact: true }).click();
    await page.getByText("Nothing is wrong.").waitFor();
  });

  test("a cluster that vanishes while it is looked at: nothing of it stays, nothing can be done there, and it may come back", async () => {
    await page.goto(`${server.url}#/clusters/hpc/nodes`);
    await page.getByRole("checkbox", { name: "Choose htc-1" }).check();
    const config = await served.world.ports.configs.load("hpc");
    served.world.ports.configs.delete("hpc");
    await page.getByText('No cluster "hpc" is configured').waitFor();
    expect(await page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
    expect(await text()).not.toContain("htc-1");
    if (config !== undefined) served.world.ports.configs.put(config);
    await page.getByRole("button", { name: "Try again now" }).click();
    await page.getByRole("checkbox", { name: "Choose htc-1" }).waitFor();
    served.world.ports.configs.delete("hpc");
    await page.getByRole("link", { name: "All clusters" }).click();
    await page.getByText("No cluster is configured").waitFor();
  });

  test("signs of trouble, and what has nothing to show, are sound in any look", {
    timeout: 600_000,
  }, async () => {
    server.wantKey("right-key");
    await page.goto(server.url);
    await page.getByLabel("Function key").fill("wrong-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await expectSound("sign-in-refused");
    server.reset();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("No problems").waitFor();
    for (const how of [503, "gone"] as const) {
      server.fail(how);
      await page.getByRole("alert").waitFor();
      await expectSound(`trouble-${how}`);
      server.fail(undefined);
      await page.getByRole("button", { name: "Try again now" }).click();
      await page.getByRole("alert").waitFor({ state: "detached" });
    }
    for (const address of ["nobody/nodes", "clusters/nobody/overview", "clusters/hpc/nothing"]) {
      await page.goto(`${server.url}#/${address}`);
      await page
        .getByText(/No cluster|no view/)
        .first()
        .waitFor();
      await expectSound(address.replaceAll("/", "-"));
    }
    await seen([]);
    for (const view of some(views.filter((each) => each !== "config"))) {
      await page.goto(`${server.url}#/clusters/hpc/${view}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("Loading…").first().waitFor({ state: "detached" });
      await expectSound(`empty-${view}`);
    }
  });

  test("no script runs out of a name, wherever it is shown", async () => {
    await seen(hostileNames);
    // As reasons too: of what holds each node, and of a pause.
    for (const [index, reason] of hostileNames.entries()) {
      const asked = index === 0 ? { kind: "pause" } : { kind: "ignore", nodes: { nodeIds: [`id-${index}`] } };
      const response = await fetch(`${api.url}/api/clusters/hpc/actions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...asked, by: reason, reason }),
      });
      expect([response.status, reason]).toEqual([200, reason]);
    }
    for (const view of ["overview", "nodes", "jobs", "rejects", "events"]) {
      await page.goto(`${server.url}#/clusters/hpc/${view}`);
      await page.getByText("<script>hit=1").first().waitFor();
    }
    for (const name of hostileNames) {
      await page.goto(`${server.url}#/clusters/hpc/jobs/${encodeURIComponent(name)}`);
      // Its heading, as text, and the explanation of this job.
      await page.getByRole("heading", { name: `Job ${name}`.trim(), exact: true }).waitFor();
      await page.getByRole("heading", { name: "Why it waits" }).waitFor();
    }
    await expectNoScriptRan();
    expect(problems).toEqual([]);
  });
});
