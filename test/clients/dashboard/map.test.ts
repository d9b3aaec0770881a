import { afterEach, describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";
import { expectSound, page, problems } from "./pages.ts";
import { server, useDashboard } from "./served-dashboard.ts";

let world: World;

const large = "Standard_HB120rs_v3";

/** Three arrays in two regions; jobs of two users; of the family of `htc`, 16 cores are left. */
async function variedWorld(): Promise<World> {
  const { vm, limits } = bucketOf({ availableCount: 20 });
  const family = { maxCores: 60, usedCores: 44 };
  const small = bucketOf({ limits: { ...limits, family } });
  const mpi = bucketOf({
    bucketId: "bucket-hb",
    vmSize: large,
    vm: { ...vm, vcpuCount: 120, pcpuCount: 120, vcpuQuotaCount: 120, family: "hb" },
    limits: { ...limits, maxCount: 4, availableCount: 2, family: { maxCores: 10_000, usedCores: 240 } },
  });
  const nodes = [
    ...Array.from({ length: 11 }, (_, index) => nodeOf({ name: `htc-${index + 1}` })),
    ...[1, 2].map((number) =>
      nodeOf({ name: `mpi-${number}`, nodeArray: "mpi", vmSize: large, placementGroup: `${large}_pg0` }),
    ),
    nodeOf({ name: "cheap-1", nodeArray: "cheap", spot: true, location: "eastus", status: "Preparing" }),
  ];
  const there = clusterOf({
    nodeArrays: [
      nodeArrayOf({ buckets: [small] }),
      nodeArrayOf({ name: "mpi", allowsColocation: true, buckets: [mpi] }),
      nodeArrayOf({
        name: "cheap",
        location: "eastus",
        spot: true,
        buckets: [bucketOf({ availableCount: 3 })],
      }),
    ],
    nodes,
  });
  const varied = createWorld(new FakeCycleCloud(there));
  varied.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 0.19 } } } });
  const run = (name: string, host: string, user: string, ncpus: number) => ({
    name,
    user,
    account: user === "ann" ? "geo" : "bio",
    constraints: { ncpus },
    executingHostnames: [`host-${host}`],
  });
  const jobs = [
    run("1200", "htc-1", "ann", 4),
    run("1201", "htc-2", "bob", 2),
    run("1202", "mpi-1", "ann", 120),
  ];
  const hosts = nodes.map(({ name }) => ({ hostname: `host-${name}` }));
  const post = () => varied.post(jobs, { ttlSeconds: 86_400, source: "pbs", nodes: hosts });
  await post();
  await varied.round();
  varied.advance(3_600);
  await post();
  await varied.round();
  return varied;
}

async function open(options = ""): Promise<void> {
  await page.clock.setSystemTime(world.now() * 1_000);
  await page.goto(`${server.url}#/clusters/${cluster}/nodes?show=map${options}`);
  await page.getByRole("application").waitFor();
}

const pointed = (words: RegExp) => page.locator(".pointed").getByText(words).waitFor();
const map = () => page.getByRole("application");

async function rowsOfTable(): Promise<readonly string[]> {
  const table = page.getByRole("table", { name: "Groups of the map" });
  if (!(await table.isVisible())) await page.getByText("The map as a table").click();
  const rows = await table.getByRole("row").allInnerTexts();
  return rows.slice(1).map((row) => row.replaceAll("\t", " | "));
}

describe.skipIf(noBrowser !== undefined)("the map of nodes", () => {
  useDashboard(
    async () => {
      world = await variedWorld();
      served.world = world;
    },
    { look: { width: 1440, colorScheme: "light" } },
  );

  afterEach(() => expect(problems).toEqual([]));

  test("what may be made besides is there as frames, with the limit that allows no more", async () => {
    await open();
    await page.getByText("May be made", { exact: true }).waitFor();
    expect(await rowsOfTable()).toEqual([
      "cheap | F4s_v2 spot | 1 | 1 booting | 2 more may be made; limit of the VM size binds (1 of 3 nodes used)",
      "htc | F4s_v2 | 11 | 2 with jobs, 9 idle | 4 more may be made; family quota binds (44 of 60 cores used)",
      "mpi | HB120rs_v3 · pg0 | 2 | 1 with jobs, 1 idle | no more may be made; limit of the VM size binds (2 of 4 nodes used)",
    ]);
    // Behind the only node of the first group.
    await map().hover({ position: { x: 30, y: 55 } });
    await pointed(/^cheap F4s_v2 spot: 2 more may be made; limit of the VM size binds .*, .* an hour each$/);
    await expectSound("map-groups");
    await page.getByRole("link", { name: "F4s_v2 spot" }).click();
    await page.getByText("1 node.").waitFor();
  });

  test("nodes are grouped in another way by a select that the address keeps", async () => {
    await open();
    for (const [by, expected] of [
      [
        "region",
        [
          "eastus | cheap · F4s_v2 spot | 1",
          "westeurope | htc · F4s_v2 | 11",
          "westeurope | mpi · HB120rs_v3 | 2",
        ],
      ],
      [
        "spot",
        ["Regular | htc · F4s_v2 | 11", "Regular | mpi · HB120rs_v3 | 2", "Spot | cheap · F4s_v2 spot | 1"],
      ],
      [
        "state",
        [
          "Booting | cheap · F4s_v2 spot | 1",
          "Idle | htc · F4s_v2 | 9",
          "Idle | mpi · HB120rs_v3 | 1",
          "Jobs | htc · F4s_v2 | 2",
          "Jobs | mpi · HB120rs_v3 | 1",
        ],
      ],
      [
        "user",
        [
          "ann | htc · F4s_v2 | 1",
          "ann | mpi · HB120rs_v3 | 1",
          "bob | htc · F4s_v2 | 1",
          "No job | cheap · F4s_v2 spot | 1",
          "No job | htc · F4s_v2 | 9",
          "No job | mpi · HB120rs_v3 | 1",
        ],
      ],
      [
        "account",
        ["bio | htc · F4s_v2 | 1", "geo | htc · F4s_v2 | 1", "geo | mpi · HB120rs_v3 | 1", "No job | cheap"],
      ],
    ] as const) {
      await page.getByLabel("Group by").selectOption(by);
      await page.waitForURL(`**by=${by}`);
      await expect
        .poll(async () => (await rowsOfTable()).slice(0, expected.length))
        .toEqual(expected.map((row) => expect.stringContaining(row)));
    }
  });

  test("colours are by use, or by how many cores are busy; keys say which node it is, magnify, and open", async () => {
    await open();
    expect(await page.locator(".legend").innerText()).toMatch(/Jobs 3.*Booting 1.*Idle 10/s);
    await page.getByLabel("Colour by").selectOption("busy");
    await page.waitForURL("**color=busy");
    await expect
      .poll(() => page.locator(".legend").innerText())
      .toMatch(/No core busy 11.*Up to 50 % busy 1.*More 2/s);
    // Arrows lead from node to node.
    await map().focus();
    await page.keyboard.press("ArrowRight");
    await pointed(/^cheap-1: Preparing, .*an hour$/);
    await page.keyboard.press("ArrowDown");
    await pointed(/^htc-1: Ready, job 1200, up for 1h.*, \$0\.19 an hour$/);
    await page.keyboard.press("+");
    expect(await page.getByRole("button", { name: "Whole map" }).isEnabled()).toBe(true);
    await pointed(/^htc-1: /);
    await expectSound("map-magnified");
    await page.keyboard.press("0");
    expect(await page.getByRole("button", { name: "Whole map" }).isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Node htc-1" }).waitFor();
  });

  test("a moment of the last day is shown by slider, by play and by address", async () => {
    // What tells spot nodes from others may come later than the nodes.
    const { promise: isPointed, resolve: goOn } = Promise.withResolvers<void>();
    await page.route("**/buckets", (route) => isPointed.then(() => route.continue()));
    // Half an hour after the nodes were seen first.
    await open(`&at=${world.now() - 1_800}`);
    await page.getByText(/^14 nodes at /).waitFor();
    expect(await rowsOfTable()).toContainEqual(expect.stringMatching(/^htc \| F4s_v2 \| 11 \| .* \| –$/));
    await map().focus();
    await page.keyboard.press("ArrowRight");
    await pointed(/^cheap-1: booting for /);
    goOn();
    await page.getByRole("cell", { name: "F4s_v2 spot" }).waitFor();
    await pointed(/^cheap-1: booting for /);
    await expectSound("map-past");
    const slider = page.getByLabel("Moment of the last day");
    // Two keys may be pressed before the next frame: both count.
    const first = await slider.evaluate(async (element) => {
      const shown = element as unknown as EventTarget & { min: string; value: string };
      const from = Number(shown.min);
      for (const to of [from, from + 60]) {
        shown.value = String(to);
        for (const type of ["input", "change"]) {
          shown.dispatchEvent(new Event(type, { bubbles: true }));
          for (let turn = 0; turn < 20; turn += 1) await undefined;
        }
      }
      return from;
    });
    await page.getByText(/^0 nodes at /).waitFor();
    await page.waitForURL(`**at=${first + 60}`);
    await page.getByRole("button", { name: "Play" }).click();
    // In calm steps, because less motion is wanted.
    await expect.poll(async () => Number(await slider.inputValue())).toBeGreaterThanOrEqual(first + 3_660);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.waitForURL((url) => Number(/at=(\d+)/.exec(url.hash)?.[1]) >= first + 3_660);
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText(/^14 nodes\./).waitFor();
    expect(page.url()).not.toContain("at=");
  });
});
