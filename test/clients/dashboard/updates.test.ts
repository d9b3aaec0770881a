import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { isAll } from "../../support/cases.ts";
import { type LargeWorld, serveLargeWorld } from "./large-world.ts";
import { oftenPolled, page, problems } from "./pages.ts";
import { polled, server, useDashboard } from "./served-dashboard.ts";

const nodeCount = 1_500;

let world: LargeWorld;

const open = (path: string) => page.goto(`${server.url}#/clusters/hpc/${path}`);

/** All that a screen reader is told, from now on. */
const hear = `
  window.heard = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
      const region = element?.closest('[aria-live], [role="status"], [role="alert"]');
      if (region) heard.push(region.textContent);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

const heard = async () => [...new Set((await page.evaluate("heard")) as readonly string[])].filter(Boolean);
const focused = () =>
  page.evaluate(
    `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).slice(0, 40)`,
  );
const scrollTop = () => page.evaluate(`document.querySelector(".virtual").scrollTop`) as Promise<number>;
const scrollTo = (pixels: number) =>
  page.evaluate(`document.querySelector(".virtual").scrollTop = ${pixels}`);
const whole = (count: number) => page.locator(`[aria-rowcount="${count + 1}"]`).waitFor();
const rowOf = (name: string) => page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
describe.skipIf(noBrowser !== undefined)("updates of a large list", () => {
  useDashboard(
    async () => {
      world = await serveLargeWorld(nodeCount);
    },
    { look: { width: 1440, colorScheme: "light" } },
  );

  beforeEach(async () => {
    await page.addInitScript(oftenPolled);
    await open("nodes");
    await whole(nodeCount);
  });

  afterEach(async () => {
    await page.close();
    // A browser reports each answer that is no success.
    expect(problems.filter((problem) => !problem.includes("status of 503"))).toEqual([]);
  });

  test("of thousands of nodes only those that are seen are drawn, wherever one scrolls", async () => {
    for (const share of [0, 0.5, 1]) {
      await scrollTo(share * nodeCount * 34);
      await page.locator(`[aria-rowindex="${Math.max(2, Math.floor(share * nodeCount))}"]`).waitFor();
      expect(await page.getByRole("row").count()).toBeLessThan(90);
    }
  });

  test("the map has a cell for each node: pointed at it says which, and a click opens it", async () => {
    await page.getByRole("button", { name: "Map" }).click();
    const map = page.getByRole("application");
    await page.getByText(`Idle ${nodeCount.toLocaleString("en")}`).waitFor();
    await map.hover({ position: { x: 3, y: 50 } });
    const pointed = page.getByText(/^htc-\d+: Ready, idle for /);
    const [name = ""] = (await pointed.innerText()).split(":");
    await map.click({ position: { x: 3, y: 50 } });
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.goBack();
    await map.waitFor();
  });

  test("the first look asks for a screen of nodes, then for all; polls ask whether anything changed", async () => {
    await polled(3);
    const lists = server.paths().filter((path) => path.includes("/nodes?"));
    expect(lists[0]).toContain("limit=200");
    expect(lists.slice(1).every((path) => path.includes("limit=10000") && !path.includes("cursor"))).toBe(
      true,
    );
    expect(server.statuses().filter((status) => status === 200)).toHaveLength(3);
    expect(new Set(server.statuses().slice(3))).toEqual(new Set([304]));
  });

  test("a list that fits into the first look is asked for once, then whether anything changed", async () => {
    await page.goto("about:blank");
    world = await serveLargeWorld(20);
    server.reset();
    await open("nodes");
    await whole(20);
    await polled(3);
    expect(server.paths().filter((path) => path.includes("limit=10000"))).toEqual([]);
    expect(server.statuses().filter((status) => status === 200)).toHaveLength(2);
  });

  test("of more nodes than one answer holds, each part is asked for again, and a change in the last is seen", async () => {
    const count = 10_050;
    world = await serveLargeWorld(count);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("link", { name: "Nodes", exact: true }).click();
    await whole(count);
    const known = server.statuses().length;
    await polled(4);
    expect(new Set(server.statuses().slice(known + 2))).toEqual(new Set([304]));
    expect(
      server
        .paths()
        .slice(-4)
        .filter((path) => path.includes("cursor=")),
    ).toHaveLength(2);
    await world.change((node) => (node.name === `htc-${count}` ? undefined : node));
    await whole(count - 1);
  });

  test("a node that changes on the last page of the list is shown, and no other row is touched", async () => {
    await scrollTo(nodeCount * 34);
    await rowOf(`htc-${nodeCount}`).waitFor();
    await page.evaluate(`
      window.touched = new Set();
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const row = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target).closest('[role="row"]');
          if (row) touched.add(row.getAttribute("aria-rowindex"));
        }
      }).observe(document.querySelector(".rows"), { subtree: true, childList: true, characterData: true });
    `);
    await world.change((node) => (node.name === `htc-${nodeCount}` ? { ...node, status: "Failed" } : node));
    await rowOf(`htc-${nodeCount}`).getByText("Failed").waitFor();
    expect(await page.evaluate("[...touched]")).toEqual([`${nodeCount + 1}`]);
  });

  test("scroll position, choice and focus outlast nodes that come and go", async () => {
    await scrollTo(340);
    await page.getByRole("checkbox", { name: "Choose htc-15" }).check();
    await page.getByRole("checkbox", { name: "Choose htc-16" }).check();
    const top = await scrollTop();
    await world.change((node) => (["htc-3", "htc-16"].includes(node.name) ? undefined : node));
    await whole(nodeCount - 2);
    expect(await scrollTop()).toBe(top);
    expect(await page.getByRole("checkbox", { name: "Choose htc-15" }).isChecked()).toBe(true);
    await page.getByText("1 chosen.").waitFor();
    // Its node is gone: the next row has the focus, and not the whole page.
    expect(await focused()).toBe("Choose htc-17");
  });

  test("what has the focus keeps it while the table is scrolled away and updated", async () => {
    await page.getByRole("checkbox", { name: "Choose htc-5" }).focus();
    await scrollTo(40_000);
    await page.getByRole("row").filter({ hasText: "htc-1190" }).first().waitFor();
    await world.change((node) => (node.name === "htc-2" ? undefined : node));
    await whole(nodeCount - 1);
    expect(await focused()).toBe("Choose htc-5");
    expect(await scrollTop()).toBe(40_000);
  });

  test("keys go through the table as through a grid", async () => {
    await page.getByRole("checkbox", { name: "Choose all that are shown" }).focus();
    // Over the headings that sort, into the rows.
    for (let step = 0; step < 9; step += 1) await page.keyboard.press("Tab");
    expect(await focused()).toBe("Choose htc-1");
    for (const [key, now] of [
      ["ArrowDown", "Choose htc-2"],
      ["ArrowRight", "htc-2"],
      ["ArrowRight", "htc"],
      ["ArrowUp", "htc"],
      ["ArrowLeft", "htc-1"],
      ["End", /–|\$/],
      ["Home", "Choose htc-1"],
      ["Control+End", `Choose htc-${nodeCount}`],
      ["ArrowDown", `Choose htc-${nodeCount}`],
      ["Control+Home", "Choose htc-1"],
    ] as const) {
      await page.keyboard.press(key);
      if (typeof now === "string") await expect.poll(focused, { message: key }).toBe(now);
      else await expect.poll(focused, { message: key }).toMatch(now);
    }
    await page.keyboard.press("PageDown");
    await expect.poll(focused).not.toBe("Choose htc-1");
    const there = Number(/\d+/.exec(String(await focused())));
    expect(there).toBeGreaterThan(8);
    await page.keyboard.press("Space");
    await page.getByText("1 chosen.").waitFor();
    await page.keyboard.press("PageUp");
    await expect.poll(focused).toBe("Choose htc-1");
    // One key leaves the table: there is no way through thousands of rows.
    await page.keyboard.press("Tab");
    expect(await page.evaluate(`document.activeElement.closest(".rows")`)).toBeNull();
  });

  test("updates tell a screen reader nothing; what the viewer asked for does", async () => {
    await page.evaluate(hear);
    for (let turn = 1; turn <= 3; turn += 1) {
      await world.change((node, index) =>
        index === 0 ? undefined : { ...node, status: index % (turn + 1) === 0 ? "Preparing" : "Ready" },
      );
      await whole(nodeCount - turn);
    }
    expect(await heard()).toEqual([]);
    await page.getByLabel("Filter").fill("htc-77*");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect.poll(heard).toEqual(["11 nodes shown."]);
  });

  test("trouble is said once, however often it is met, and so is its end", async () => {
    await page.evaluate(hear);
    server.fail(503);
    await page.getByRole("alert").waitFor();
    await polled(3);
    expect(await page.getByRole("alert").count()).toBe(1);
    server.fail(undefined);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await expect.poll(heard).toContain("The service answers again.");
    expect(await heard()).toHaveLength(1);
  });

  test("back goes to the view before, at its place in the list; each way leads the keyboard to what is new", async () => {
    await scrollTo(20_400);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
    await page.goBack();
    await whole(nodeCount);
    await rowOf("htc-610").waitFor();
    expect(await scrollTop()).toBe(20_400);
    expect(await page.title()).toContain("Nodes");
    await page.goForward();
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  });

  test("ages go on while nothing is new", async () => {
    await open("overview");
    const snapshot = page.locator("dt", { hasText: "Snapshot" }).locator("xpath=following-sibling::dd");
    // Whatever was asked for while the view opened has come.
    await page.waitForResponse((response) => response.url().endsWith("/status") && response.status() === 304);
    const age = await snapshot.innerText();
    // Of the status alone: samples are asked for to the minute, and a new minute is something new.
    const answered: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/status")) answered.push(response.status());
    });
    await expect.poll(() => snapshot.innerText()).not.toBe(age);
    expect(new Set(answered)).toEqual(new Set([304]));
  });

  test("curves stay while a later minute of them is asked for", async () => {
    for (let minute = 1; minute <= 5; minute += 1)
      await served.world.ports.samples.add("hpc", {
        atSeconds: Math.floor(Date.now() / 1_000) - minute * 60,
        nodes: { idle: minute },
        usdPerHour: 1,
        unpricedNodes: 0,
        runningJobs: 0,
        waitingJobs: 0,
      });
    await open("overview");
    await page.locator(".plot svg").first().waitFor();
    await page.evaluate(`
      document.querySelector(".plot svg").id = "first-drawn";
      const now = Date.now;
      Date.now = () => now() + 120_000;
    `);
    const samples = () => new Set(server.paths().filter((path) => path.includes("/samples?")));
    await expect.poll(() => samples().size).toBe(2);
    await polled(4);
    expect(await page.locator("#first-drawn").count()).toBe(1);
  });

  test("a page of jobs begins at its top, and back leads to the place in the one before", async () => {
    const jobs = Array.from({ length: 450 }, (_, index) => ({
      name: `job-${index}`,
      constraints: { ncpus: 999 },
    }));
    await served.world.post(jobs);
    await open("jobs");
    await page.getByRole("link", { name: "job-199", exact: true }).waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByRole("link", { name: "job-200", exact: true }).waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await page.getByRole("link", { name: "job-390", exact: true }).click();
    await page.getByRole("heading", { name: "Job job-390" }).waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await page.getByRole("link", { name: "job-390", exact: true }).waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(2_000);
    await page.goBack();
    await page.getByRole("link", { name: "job-199", exact: true }).waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(2_000);
  });

  test("on paper are all rows, and when they were printed", async () => {
    // Each is laid out for the paper, which takes its time.
    const count = 300;
    world = await serveLargeWorld(count);
    await whole(count);
    await page.evaluate(`
      const rows = () => [...document.querySelectorAll('.rows [role="row"]')].map(({ ariaRowIndex }) => ariaRowIndex);
      addEventListener("beforeprint", () => { window.printed = { rows: rows(), text: document.body.innerText }; });
    `);
    await page.pdf();
    const { rows, text } = (await page.evaluate("printed")) as { rows: string[]; text: string };
    expect(rows).toEqual(Array.from({ length: count }, (_, index) => String(index + 2)));
    expect(text).toMatch(/printed .* UTC/);
    await page.emulateMedia({ media: "print" });
    await page.getByRole("columnheader", { name: "State" }).getByText("State").waitFor();
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await page.emulateMedia({ media: "screen" });
    // Afterwards it is as before.
    await expect.poll(() => page.getByRole("row").count()).toBeLessThan(90);
    expect(await page.getByText("printed").count()).toBe(0);
  });

  test("on a telephone a node is a card: all of it is seen without scrolling sideways, keys go from card to card", async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    const row = rowOf("htc-1");
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(112);
    expect(
      await page.evaluate(`
      (({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".virtual"))
    `),
    ).toBe(0);
    const cut = await row
      .getByRole("gridcell")
      .evaluateAll((cells) =>
        (cells as unknown as { scrollWidth: number; clientWidth: number; textContent: string }[])
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      );
    expect(cut).toEqual([]);
    await page.getByRole("checkbox", { name: "Choose htc-1", exact: true }).focus();
    for (let step = 0; step < 20; step += 1) await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("Choose htc-21");
    await expect(page.getByRole("checkbox", { name: "Choose htc-21" }).isVisible()).resolves.toBe(true);
    expect(await scrollTop()).toBeGreaterThan(1_000);
    await page.getByRole("button", { name: "State", exact: true }).click();
    expect(page.url()).toContain("sort=state");
  });

  test.runIf(isAll)("what a page keeps does not grow with its polls", { timeout: 600_000 }, async () => {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const look = async () => {
      for (const _ of [1, 2, 3]) await session.send("HeapProfiler.collectGarbage");
      const { metrics } = await session.send("Performance.getMetrics");
      const read = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
      return { heap: read("JSHeapUsedSize"), dom: read("Nodes"), listeners: read("JSEventListeners") };
    };
    const turns = async (from: number, until: number) => {
      for (let turn = from; turn < until; turn += 1) {
        await world.change((node, index) => ({ ...node, status: index === turn ? "Failed" : "Ready" }));
        await rowOf(`htc-${turn + 1}`)
          .getByText("Failed")
          .waitFor();
      }
    };
    await turns(0, 10);
    const before = await look();
    await turns(10, 25);
    await turns(0, 10);
    const after = await look();
    // 1,500 nodes are some 1 MB: 25 lists that stay would be 25.
    expect(after.heap - before.heap).toBeLessThan(6_000_000);
    expect(after.dom).toBeLessThan(before.dom + 200);
    expect(after.listeners).toBeLessThan(before.listeners + 20);
  });
});
