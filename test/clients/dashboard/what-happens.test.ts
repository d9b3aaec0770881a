import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";
import { hostileNames } from "./hostile-names.ts";
import {
  expectNoScriptRan,
  expectSound,
  oftenPolled,
  page,
  problems,
  views as viewsOfCluster,
} from "./pages.ts";
import { api, polled, server, useDashboard } from "./served-dashboard.ts";

let world: World;

/** A node array of at most six nodes at 2 USD an hour, of which two are up; a budget; a target that is not met. */
async function busyWorld(): Promise<World> {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const busy = worldWith({ nodeArrays: [nodeArrayOf({ maxCount: 6 })], nodes });
  busy.configure({
    facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } },
    cycle: {
      budgets: [
        { name: "htc", of: { dimension: "nodeArray", name: "htc" }, period: "month", usd: 500, hold: true },
      ],
    },
  });
  const run = jobFor(2, {
    name: "runs",
    account: "geo",
    submittedAt: new Date((busy.now() - 120) * 1_000).toISOString(),
    startedAtSeconds: busy.now() + 2,
    executingHostnames: ["host-htc-1", "host-htc-2"],
  });
  await busy.post([run, jobFor(8, { name: "1201" }), jobFor(1, { name: "1202" })], { ttlSeconds: 86_400 });
  await busy.receive({
    version: 1,
    kind: "targets",
    cluster,
    source: "cron",
    sequence: 7,
    sentAt: new Date(busy.now() * 1_000).toISOString(),
    arrays: [{ Name: "htc", TargetCount: 10 }],
    expirationInterval: 86_400,
  });
  await busy.snapshot();
  busy.advance(1);
  await busy.plan();
  await busy.execute();
  busy.advance(600);
  await busy.receive("{ this is no message");
  await busy.snapshot();
  await busy.post([run, jobFor(8, { name: "1201" })], { ttlSeconds: 86_400 });
  busy.advance(5);
  await busy.plan();
  await busy.snapshot();
  await busy.ports.events.note(cluster, [
    {
      eventId: "drain:htc-1",
      kind: "drain",
      atSeconds: busy.now(),
      node: { nodeId: "id-htc-1", name: "htc-1", hostname: "host-htc-1" },
      by: "ann",
      source: null,
      reason: "new image",
    },
  ]);
  return busy;
}

/** Two idle nodes at 2 USD an hour, and room for eight more. */
async function roomyWorld(): Promise<World> {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const roomy = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
  roomy.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  await roomy.snapshot();
  return roomy;
}

/** Opens a view as somebody sees it at the time of the world, and waits until all of it is there. */
async function open(path: string): Promise<void> {
  await page.clock.setSystemTime(world.now() * 1_000);
  await page.goto(`${server.url}#/clusters/${cluster}/${path}`);
  await page.waitForSelector("h1");
  await page.waitForFunction(
    () =>
      !/Loading…|Planning…/.test(
        (globalThis as unknown as { document: { body: { innerText: string } } }).document.body.innerText,
      ),
  );
}

const text = () => page.locator("main").innerText();

describe.skipIf(noBrowser !== undefined)("what happens, and what would", () => {
  useDashboard(
    async () => {
      world = await busyWorld();
      served.world = world;
    },
    { look: { width: 1440, colorScheme: "light" } },
  );

  const tried = JSON.stringify({ change: { job: "1201", with: { iterations: 3 } } });
  const asked = { constraints: { ncpus: 4 }, iterations: 2, runtimeSeconds: 3_600 };
  const views = {
    ...Object.fromEntries(viewsOfCluster.map((view) => [view, view])),
    map: "nodes?show=map",
    lives: "nodes?show=time",
    job: "jobs/runs",
    node: "nodes/htc-1",
    target: "targets/htc?requestSet=standard",
    plan: "plans/plan-0001",
    "plan-difference": "plans/plan-0002?against=plan-0001",
    quote: `quote?${new URLSearchParams({ try: JSON.stringify({ jobs: [asked] }) })}`,
    "what-if": `jobs/1201?${new URLSearchParams({ try: tried })}`,
  };

  test("nothing sticks out, no rule of accessibility is broken in any look", {
    timeout: 600_000,
  }, async () => {
    for (const [name, path] of Object.entries(views)) {
      await open(path);
      await expectSound(name);
    }
    expect(problems).toEqual([]);
  });

  test("what nodes did, with what their gaps cost, and what a job ran on and cost, lead to each other", async () => {
    await open("nodes?show=time");
    const row = page.getByRole("row").filter({ hasText: "htc-1" });
    await row.waitFor();
    expect(
      await row.locator(".life i").evaluateAll((bars) => bars.map(({ className }) => className)),
    ).toEqual(["use-jobs"]);
    await page.getByText(/nodes? shown, idle for .* together, \$/).waitFor();
    await page.getByLabel("Node array").fill("none");
    await page.keyboard.press("Enter");
    await page.getByText("No node was there in that time.").waitFor();
    await open("jobs/runs");
    await page.getByRole("heading", { name: "1 run, $" }).waitFor();
    await page.getByRole("table", { name: "Timeline" }).getByRole("link", { name: "htc-1" }).click();
    await page.getByRole("heading", { name: "Node htc-1" }).waitFor();
    const over = page.getByRole("table", { name: "Nodes over time" });
    await over.locator(".life .sign").nth(1).waitFor();
    expect(
      await over
        .locator(".life:not(:first-child) i")
        .evaluateAll((marks) => marks.map(({ title, innerText }) => `${innerText} ${title}`)),
    ).toEqual([
      "◆ No new jobs there: new image.",
      expect.stringMatching(/^● htc-1 is up, /),
      "runs Job runs started.",
    ]);
    const steps = page.getByRole("table", { name: "What happened to it" });
    await steps.getByText("No new jobs there: new image.").waitFor();
    await world.post([jobFor(8, { name: "1201" })], { ttlSeconds: 86_400 });
    world.advance(60);
    await world.plan();
    await world.snapshot();
    // A job that is done is no demand any more, and has its run all the same, with the boots of its nodes.
    await open("jobs/runs");
    await page.reload();
    await page.getByText(/A job that is done is no longer demand/).waitFor();
    const timeline = page.getByRole("table", { name: "Timeline" });
    await timeline.getByText(/^Ended: .*, \$/).waitFor();
    await timeline.getByText(/^2 nodes are up, /).waitFor();
    await timeline.getByText("Submitted", { exact: true }).waitFor();
    expect(
      await timeline
        .getByText(/^Started on .*, 2m after it was submitted/)
        .getByRole("link", { name: "plans until then" })
        .getAttribute("href"),
    ).toMatch(/\/events\?kind=plan&from=1799999880&until=1800000000$/);
    // Its node still shows it.
    await timeline.getByRole("link", { name: "htc-1" }).click();
    await steps.getByText(/^Job runs started, and ran for /).waitFor();
    world.advance(2_000);
    await open("nodes");
    await page.getByText("with the next plan").first().waitFor();
  });

  test("one line filters nodes and jobs, is kept in the address, and says what it cannot read", async () => {
    await open("nodes");
    const filter = page.getByLabel("Filter", { exact: true });
    await filter.fill("user:ann state:jobs cost>1");
    await page.keyboard.press("Enter");
    await page.getByText("No node is like that.").waitFor();
    await filter.fill("job:runs -htc-2");
    await page.keyboard.press("Enter");
    await page.getByText("1 node.").waitFor();
    await page.reload();
    await page.getByText("1 node.").waitFor();
    expect(await filter.inputValue()).toBe("job:runs -htc-2");
    await filter.fill("stat:jobs");
    await page.keyboard.press("Enter");
    await page.getByText(/no key "stat", did you mean "state"\?/).waitFor();
    await open("jobs");
    await filter.fill("account:geo state:running");
    await page.keyboard.press("Enter");
    await page.getByText("The first 1 of 1 job.").waitFor();
    await open("plans/plan-0001");
    expect(await text()).toMatch(/Jobs that wait: 2[\s\S]*1201 and 1 more\s+.*htc/);
    await page.getByRole("link", { name: "and 1 more" }).click();
    await page.getByRole("heading", { name: "Jobs", exact: true }).waitFor();
    await page.getByText("The first 1 of 1 job.").waitFor();
    expect(await text()).toMatch(/1201\s+partly/);
  });

  test("money and events of chosen days, and what one user's jobs cost", async () => {
    await open("money?by=user");
    const today = new Date(world.now() * 1_000).toISOString().slice(0, 10);
    const choose = async (first: string, last: string) => {
      await page.getByLabel("From", { exact: true }).fill(first);
      await page.getByLabel("To", { exact: true }).fill(last);
      await page.getByRole("button", { name: "Show these days" }).click();
    };
    await choose("2020-01-01", "2020-01-02");
    await page.getByText("$0.00, 0 node-hours").waitFor();
    await choose(today, today);
    await page.getByText(/^\$1\.\d\d, 0\.\d node-hours/).waitFor();
    await page.getByLabel("Jobs of user").fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText("$0.00, 0 node-hours").waitFor();
    await page.reload();
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe(today);
    await open("events");
    await choose("2020-01-01", "2020-01-02");
    await page.getByText("Nothing of that kind happened then.").waitFor();
    await choose(today, today);
    await page.getByRole("table", { name: "Events, newest first" }).waitFor();
  });

  test("what if: fewer slots by keyboard, the answer first, a link to it, and the command that does the same", async () => {
    await open("jobs/1201");
    const slots = page.getByLabel("Slots");
    await slots.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await page.getByText(/It would have all 3 slots on 3 nodes/).waitFor();
    expect(await text()).toMatch(/As it is\s+Then\s+Has\s+4 of 8 slots\s+3 of 3 slots/);
    expect(await page.locator("code").allInnerTexts()).toContainEqual(
      expect.stringMatching(
        /^ccscale what-if --cluster hpc --change 1201 --source celery --job '\{"iterations":3/,
      ),
    );
    await page.reload();
    await page.getByText(/It would have all 3 slots on 3 nodes/).waitFor();
    expect(await slots.inputValue()).toBe("3");
    await page.getByRole("button", { name: "Back to what it asks for" }).click();
    await page.getByText(/It would have/).waitFor({ state: "detached" });
    expect(await slots.inputValue()).toBe("8");
  });

  test("what if a limit were higher: the one that keeps it waiting is offered, with as much as is missing", async () => {
    await open("jobs/1201");
    await page.getByLabel(/nodes more of node-array htc/).check();
    await page.getByRole("button", { name: "Plan with that" }).click();
    await page.getByText(/It would have all 8 slots/).waitFor();
  });

  test("which limits to raise is asked for once, and again when the job waits for something else", async () => {
    await page.addInitScript(oftenPolled);
    await open("jobs/1201");
    const asked = () => server.paths().filter((path) => /explain(?!.*raise=false)/.test(path));
    await page.getByLabel(/nodes more of node-array htc/).check();
    await polled(8);
    expect(asked()).toHaveLength(1);
    const body = JSON.stringify({ kind: "pause", by: "ann", reason: "quota talks" });
    const headers = { "content-type": "application/json" };
    await fetch(`${api.url}/api/clusters/${cluster}/actions`, { method: "POST", headers, body });
    await page.getByText(/ann paused the cluster/).waitFor();
    await polled(8);
    expect(asked()).toHaveLength(2);
    // What was chosen meanwhile stays.
    expect(await page.getByLabel(/nodes more of node-array htc/).isChecked()).toBe(true);
    // So it is for another job that waits for the same.
    const jobs = ["1203", "1204", "1205"];
    await world.post(
      jobs.map((name) => jobFor(8, { name })),
      { ttlSeconds: 86_400 },
    );
    for (const job of jobs) {
      await open(`jobs/${job}`);
      await expect.poll(() => asked().some((path) => path.includes(job))).toBe(true);
    }
  });

  test("what if, asked for what cannot be: every problem is said", async () => {
    await open("jobs/1201");
    await page.getByLabel("Other constraints (JSON)").fill("{");
    await page.getByRole("button", { name: "Plan with that" }).click();
    await page
      .getByRole("alert")
      .getByText(/^Constraints:/)
      .waitFor();
    await page.getByLabel("Other constraints (JSON)").fill('{"or": 1}');
    await page.getByRole("button", { name: "Plan with that" }).click();
    await page
      .getByRole("alert")
      .getByText(/change\.with\.constraints/)
      .waitFor();
  });

  test("quote: the recommended way first, from the form by keyboard, from a line of sbatch, and the command that asks the same", async () => {
    world = await roomyWorld();
    served.world = world;
    await open("quote");
    const many = page.getByLabel("How many");
    await many.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Ways to have it" }).waitFor();
    expect(await text()).toMatch(
      /Way\s+Nodes\s+Cost\s+Starts in\s+Done by\s+as it is\s+2 × Standard_F4s_v2 in htc\s+\$4\.00\s+0s/,
    );
    await expectSound("quote-with-room");
    expect(await page.locator("code").innerText()).toBe(
      `ccscale quote --cluster hpc --job '{"constraints":{"ncpus":4},"iterations":2,"runtimeSeconds":3600}'`,
    );
    await page.getByLabel(/line of sbatch/).fill("sbatch -p htc -N 1 --ntasks-per-node=2 -t 2:00:00 job.sh");
    await page.keyboard.press("Enter");
    await page.getByText('"nodeCount":1,"runtimeSeconds":7200').waitFor();
    expect(await page.getByLabel("CPUs each").inputValue()).toBe("2");
    expect(await page.getByLabel("Run time").inputValue()).toBe("2h");
    await page.reload();
    await page.getByRole("table", { name: "Ways to have it" }).waitFor();
  });

  test("quote: an option of sbatch that is not read and a node array that is not there are said", async () => {
    await open("quote");
    await page.getByLabel(/line of sbatch/).fill("sbatch --hold -n 4");
    await page.getByRole("button", { name: "Quote" }).click();
    await page
      .getByRole("alert")
      .getByText(/--hold is not read here/)
      .waitFor();
    await page.getByLabel(/line of sbatch/).fill("");
    await page.getByLabel("Node array").fill("none");
    await page.getByRole("button", { name: "Quote" }).click();
    const reason = page.locator("p.problem.degraded");
    await reason.waitFor();
    expect(await reason.innerText()).toMatch(/^Job "quote-1" waits for 1 slot\. No no/);
  });

  test("nothing but a what-if is sent for an address that holds one, whatever it holds", async () => {
    for (const asked of ["{", "1", "null", '{"kind": "delete", "nodes": {"names": ["htc-1"]}}', "{}"]) {
      await open(`jobs/1201?${new URLSearchParams({ try: asked })}`);
      await page.getByRole("heading", { name: "Job 1201" }).waitFor();
    }
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
    expect(await world.ports.operations.recent(cluster, 100)).toHaveLength(
      (await world.ports.operations.recent(cluster, 100)).filter(
        ({ action }) => action.kind === "create-nodes",
      ).length,
    );
  });

  test("two plans are chosen and compared", async () => {
    await open("plans");
    await page.getByLabel("Compare plan-0001").check();
    expect(await page.getByRole("link", { name: "Compare the two" }).count()).toBe(0);
    await page.getByLabel("Compare plan-0002").check();
    await page.getByRole("link", { name: "Compare the two" }).click();
    await page.getByRole("heading", { name: "Two plans" }).waitFor();
    await page.getByRole("heading", { name: "Jobs that there were: 1" }).waitFor();
    expect(await text()).toMatch(/1202\s+asks for 1\s+–/);
    expect(await text()).toContain("ccscale plans diff plan-0001 plan-0002 --cluster hpc");
  });

  test("on a telephone the box that chooses a plan is whole, and on a small screen its heading is one line", async () => {
    const boxOf = async (name: "checkbox" | "columnheader", text: string) =>
      page.getByRole(name, { name: text }).first().boundingBox();
    await page.setViewportSize({ width: 390, height: 900 });
    await open("plans");
    const box = await boxOf("checkbox", "Compare plan-0001");
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390 - 16);
    await page.setViewportSize({ width: 1024, height: 900 });
    await expect.poll(async () => (await boxOf("columnheader", "Compare"))?.height).toBeLessThan(40);
  });

  test("events: filtered by kind and node, with links to what they are about", async () => {
    await open("events");
    await page.getByRole("cell", { name: "action", exact: true }).first().waitFor();
    await page.getByLabel("Kind").selectOption({ label: "rejected" });
    await page.getByRole("cell", { name: "action", exact: true }).first().waitFor({ state: "detached" });
    await page.getByText(/A message was refused/).waitFor();
    await page.getByLabel("Kind").selectOption({ label: "All" });
    const action = page.getByRole("row").filter({ hasText: "create-nodes of" }).first();
    const name = (await action.locator("td").nth(4).locator("a").first().innerText()).trim();
    await page.getByLabel("Node", { exact: true }).fill(name);
    await page.keyboard.press("Enter");
    await page.getByText(/A message was refused/).waitFor({ state: "detached" });
    expect(await action.innerText()).toContain(name);
    await action.getByRole("link", { name: "operation" }).click();
    await page.getByRole("heading", { name: /^Operation / }).waitFor();
    await page.getByRole("cell", { name: "create-nodes" }).waitFor();
  });

  test("what happened is marked on the curves: one mark for what lies close together, and it opens those events", async () => {
    await open("overview?hours=24");
    const marks = page.locator(".lane a");
    await marks.first().waitFor();
    expect(await marks.count()).toBeLessThan(5);
    expect(await marks.last().getAttribute("title")).toMatch(/Failures: 1, .*Plans: \d+/);
    await marks.last().click();
    await page.getByRole("heading", { name: "Events" }).waitFor();
    await page.getByText(/A message was refused/).waitFor();
  });

  test("hundreds of events are no more marks than there is room for", async () => {
    for (let index = 0; index < 200; index += 1) {
      await world.receive(`no message ${index}`);
      world.advance(300);
    }
    await page.setViewportSize({ width: 390, height: 900 });
    await open("overview?hours=24");
    await page.locator(".lane a").first().waitFor();
    const boxes = await page.locator(".lane a").evaluateAll((all) =>
      (all as unknown as { getBoundingClientRect(): { left: number; right: number } }[]).map((each) => {
        const { left, right } = each.getBoundingClientRect();
        return { left, right };
      }),
    );
    expect(boxes.length).toBeGreaterThan(3);
    for (const [index, { left }] of boxes.entries())
      expect(left).toBeGreaterThanOrEqual((boxes[index - 1]?.right ?? 0) - 0.5);
  });

  test("the overview has money by node array, what budgets hold, limits that bind, and the age of demand", async () => {
    await open("overview");
    const said = await text();
    expect(said).toMatch(/Node array\s+Now, per hour\s+This hour\s+Today\s+2027-01\s+Forecast/);
    expect(said).toMatch(/node array htc, a month/);
    expect(said).toMatch(/Limits that bind[\s\S]*node-array\s+htc\s+6\s+6\s+0 nodes/);
    expect(said).toMatch(/celery\s+2\s+0\s+\S+ ago\s+in /);
  });

  test("a target that is not met says why, and until when it holds", async () => {
    await open("targets");
    await page.getByRole("link", { name: "htc" }).click();
    await page.getByRole("heading", { name: "Target htc" }).waitFor();
    await page.getByRole("heading", { name: "Why it waits" }).waitFor();
    expect(await text()).toMatch(/Asked for by cron in set standard .* ago, expires in /);
  });

  test("no script runs out of a name in events, plans, targets and what-if", async () => {
    world = worldWith({
      nodeArrays: [nodeArrayOf()],
      nodes: hostileNames.map((name, index) => nodeOf({ name, nodeId: `id-${index}` })),
    });
    served.world = world;
    const job = { constraints: { ncpus: 1_000 } };
    await world.post(hostileNames.map((name) => ({ ...job, name })));
    for (const name of hostileNames)
      await world.receive({ version: 1, kind: "snapshot", cluster, source: name, sequence: 1 });
    await world.snapshot();
    world.advance(1);
    await world.plan();
    await world.post([]);
    world.advance(5);
    await world.plan();
    await world.post(hostileNames.map((name) => ({ ...job, name })));
    for (const path of ["events", "plans/plan-0001", "plans/plan-0002?against=plan-0001"]) {
      await open(path);
      await page.getByText("<script>hit=1").first().waitFor();
    }
    for (const name of hostileNames.slice(0, 10)) {
      const asked = JSON.stringify({ change: { job: name, with: { constraints: [{ ncpus: 1 }] } } });
      await open(`jobs/${encodeURIComponent(name)}?${new URLSearchParams({ try: asked })}`);
      await page.getByText(/^It would have its slot on 1 node/).waitFor();
    }
    // With a single sample.
    await open("overview");
    await page.locator(".plot svg").first().waitFor();
    expect(problems).toEqual([]);
    await open(`targets/${encodeURIComponent(hostileNames[1] ?? "")}`);
    await expectNoScriptRan();
  });
});
