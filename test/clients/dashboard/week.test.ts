import { describe, expect, test } from "vitest";
import type { NodeHistory } from "../../../shared/engine/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";
import { expectSound, page, problems } from "./pages.ts";
import { server, useDashboard } from "./served-dashboard.ts";

const hour = 3_600;
const size = { maxCount: 20, maxCoreCount: 80 };
const nodeArrays = [
  nodeArrayOf({ ...size, buckets: [bucketOf()] }),
  nodeArrayOf({ ...size, name: "gpu", buckets: [bucketOf()] }),
];
let world: World;

/** Six nodes at 2 USD an hour by day and two by night, of which four and one have jobs, for the four days since Monday. */
async function officeWeek(): Promise<World> {
  const nodes = [1, 2, 3, 4, 5, 6].map((index) => nodeOf({ name: `htc-${index}` }));
  const week = createWorld(new FakeCycleCloud(clusterOf({ ...size, nodeArrays, nodes })));
  week.advance(Date.UTC(2027, 0, 18) / 1_000 - week.now());
  week.configure({
    facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } },
    schedules: [
      {
        name: "office",
        start: "0 8 * * mon-fri",
        end: { afterSeconds: 10 * hour },
        timeZone: "UTC",
        except: [],
        leadSeconds: null,
        targets: [{ Name: "htc", TargetCount: 5 }],
      },
      {
        name: "floor",
        start: "0 0 * * *",
        end: { at: "0 0 * * *" },
        timeZone: "UTC",
        except: [],
        leadSeconds: null,
        pausedUntilSeconds: Date.UTC(2027, 1, 1) / 1_000,
        targets: [{ Name: "htc", TargetCount: 1 }],
      },
    ],
  });
  for (let at = 0; at < 4 * 24; at += 1) {
    const isDay = at % 24 >= 8 && at % 24 < 18;
    week.cycleCloud.shown = isDay ? 6 : 2;
    const run = { name: "run", constraints: { ncpus: 1 }, iterations: isDay ? 4 : 1 };
    const hosts = nodes.slice(0, run.iterations).map(({ name }) => `host-${name}`);
    await week.post(
      [
        { ...run, executingHostnames: hosts },
        { name: "next", constraints: { ncpus: 64 } },
      ],
      {
        ttlSeconds: 86_400,
      },
    );
    await week.snapshot();
    week.advance(hour);
  }
  const row = { nodeArray: "htc", vmSize: "Standard_F4s_v2", hostname: null, instanceId: null };
  const ended = {
    ...row,
    lastMatchSeconds: null,
    createdSeconds: week.now() - 7_200,
    deletedSeconds: week.now(),
  };
  await week.ports.history.save(cluster, [
    ...[120, 150, 400].map(
      (seconds): NodeHistory => ({
        ...ended,
        nodeId: `n${seconds}`,
        name: `n${seconds}`,
        readySeconds: ended.createdSeconds + seconds,
      }),
    ),
    {
      ...ended,
      nodeId: "bad",
      name: "bad",
      readySeconds: null,
      failure: { atSeconds: week.now(), message: null },
    },
  ]);
  await week.ports.losses.add({
    cluster,
    eventId: "e1",
    atSeconds: week.now() - 100,
    reason: "SpotEvicted",
    nodeId: "n1",
    nodeName: "htc-9",
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
  });
  return week;
}

describe.skipIf(noBrowser !== undefined)("a week at a glance", () => {
  useDashboard(async () => {
    world = await officeWeek();
    served.world = world;
  });

  test("curves with what schedules kept over them, the same as tables, boots and failures, in every look", {
    timeout: 600_000,
  }, async () => {
    await page.clock.setSystemTime(world.now() * 1_000);
    await page.goto(`${server.url}#/clusters/${cluster}/week`);
    await page.getByRole("heading", { name: "htc", exact: true }).waitFor();
    // Four windows until now, and that of the Friday before the first snapshot.
    expect(await page.locator(".bands .life i").count()).toBe(5);
    const kept = page.getByRole("region", { name: "Kept by schedules" });
    const rows = await kept.getByRole("row").allInnerTexts();
    expect(rows.map((text) => text.split("\t")).map((cells) => [cells[1], cells.at(-1)])).toEqual([
      ["Keeps", "Nodes with jobs"],
      ["5 nodes", "–"],
      ...Array.from({ length: 4 }, () => ["5 nodes", "3.9"]),
    ]);
    const sizes = page.getByRole("region", { name: "Boots, failures and evictions by VM size" });
    expect((await sizes.getByRole("row").nth(1).innerText()).split("\t")).toEqual([
      "Standard_F4s_v2",
      "4",
      "2m30s",
      "6m40s",
      "1",
      "1",
    ]);
    await page.getByText(/Schedule floor \(1 node\) is paused until/).waitFor();
    await page.getByText("Without any node in the week: gpu.").waitFor();
    await page.getByText(/Counted since/).waitFor();
    await expectSound("week-office");
    // By keyboard alone: the hours as a table.
    await page.getByText("Nodes of htc as a table").focus();
    await page.keyboard.press("Enter");
    const hours = page.getByRole("region", { name: "Nodes of htc", exact: true });
    expect(await hours.getByRole("row").count()).toBe(169);
    expect(await hours.getByRole("row").filter({ hasText: "–" }).count()).toBe(168 - 95);
    expect(problems).toEqual([]);
  });
});
