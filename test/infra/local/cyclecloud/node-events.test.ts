import { describe, expect, test } from "vitest";
import { nodeEvents, stepsBegun } from "../../../../infra/local/cyclecloud/node-events.ts";
import { parseCycleCloudEvent } from "../../../../shared/messages/cyclecloud-event.ts";
import {
  boot,
  deallocate,
  fail,
  type Life,
  reboot,
  redirect,
  stepAt,
  terminate,
  vanish,
} from "../../../../shared/simulated-cyclecloud/node-life.ts";
import type { SimulatedNode } from "../../../../shared/simulated-cyclecloud/simulated-node.ts";

const draw = { bootSeconds: 100, acquireShare: 0.4, outcome: { kind: "ready" } } as const;

function nodeOf(life: Life, fields: Partial<SimulatedNode> = {}): SimulatedNode {
  return {
    nodeId: "n-1",
    name: "htc-1",
    cluster: "lab",
    bucket: { nodearray: "htc", machineType: "Standard_F4s_v2", region: "westeurope", spot: false },
    placementGroupId: undefined,
    operationId: "o-1",
    life,
    ...fields,
  } as SimulatedNode;
}

/** Kind, status, reason and timing of everything that is told of a life. */
function told(life: Life): unknown[] {
  const events = nodeEvents(nodeOf(life), { from: 0, at: 1e6, subscription: "sub" });
  return events.map(({ eventType, data }) => {
    const kind = eventType.replace("Microsoft.CycleCloud.", "");
    return [kind, data.status, data.reason, ...(data.timing === undefined ? [] : [data.timing])];
  });
}

const added = ["NodeAdded", "Succeeded", "Autoscaled"];
const up = boot(1_000, draw);
const created = ["NodeCreated", "Succeeded", "Autoscaled", { Create: 100, CreateVM: 40, Configure: 60 }];
const timing = { Terminate: 40, DeleteVM: 40 };
const end = (life: Life, at: number, reason?: "SpotEvicted") =>
  terminate({
    at,
    from: stepAt(life, at),
    terminateSeconds: 40,
    fixed: false,
    ...(reason === undefined ? {} : { reason }),
  });

describe("nodeEvents: what is told of a life", () => {
  test.each<[string, Life, unknown[]]>([
    ["a boot", up, [added, created]],
    [
      "a boot that fails in its configuration",
      boot(1_000, { ...draw, outcome: { kind: "fails", share: 0.5 } }),
      [added, ["NodeCreated", "Failed", "Autoscaled", { Create: 70, CreateVM: 40, Configure: 30 }]],
    ],
    [
      "a boot that never ends",
      boot(1_000, { ...draw, outcome: { kind: "stuck", status: "Acquiring" } }),
      [added],
    ],
    [
      "a termination that was asked for",
      redirect(up, 2_000, end(up, 2_000)),
      [added, created, ["NodeTerminated", "Succeeded", "Autoscaled", timing]],
    ],
    [
      "an eviction",
      redirect(up, 2_000, end(up, 2_000, "SpotEvicted")),
      [added, created, ["NodeTerminated", "Succeeded", "SpotEvicted", timing]],
    ],
    [
      "a VM that vanished",
      redirect(up, 2_000, vanish(2_000)),
      [added, created, ["NodeTerminated", "Succeeded", "VMDisappeared", { Terminate: 0, DeleteVM: 0 }]],
    ],
    [
      "a rest: deallocated and started again",
      redirect(redirect(up, 2_000, deallocate(2_000, stepAt(up, 2_000), 30)), 3_000, boot(3_000, draw)),
      [
        added,
        created,
        ["NodeDeallocated", "Succeeded", "Autoscaled", { Deallocate: 30 }],
        ["NodeStarted", "Succeeded", "Autoscaled", { Start: 100, StartVM: 40 }],
      ],
    ],
    [
      "a restart, of which nothing is told",
      redirect(up, 2_000, reboot(2_000, "Restarting", 60)),
      [added, created],
    ],
    [
      "a running node that fails, likewise",
      redirect(up, 2_000, fail(2_000, stepAt(up, 2_000), "x")),
      [added, created],
    ],
  ])("%s", (_, life, expected) => {
    expect(told(life)).toEqual(expected);
  });

  test("each step once, when its time has come", () => {
    const node = nodeOf(up);
    const of = (from: number, at: number) =>
      nodeEvents(node, { from, at, subscription: "sub" }).map(({ id }) => id);
    expect(of(0, 1_000)).toEqual(["n-1-0"]);
    expect(of(stepsBegun(node, 1_000), 1_099)).toEqual([]);
    expect(of(stepsBegun(node, 1_099), 1_100)).toEqual(["n-1-3"]);
  });

  test("nothing of nodes that were there from the start", () => {
    const node = nodeOf(up, { operationId: undefined });
    expect(nodeEvents(node, { from: 0, at: 1e6, subscription: "sub" })).toEqual([]);
  });

  test("the autoscaler understands every event", () => {
    const node = nodeOf(redirect(up, 2_000, end(up, 2_000, "SpotEvicted")));
    const events = nodeEvents(node, { from: 0, at: 1e6, subscription: "sub" });
    const parsed = events.map(parseCycleCloudEvent);
    expect(parsed.map(({ outcome }) => outcome)).toEqual(["event", "event", "event"]);
    expect(parsed[2]).toMatchObject({
      event: { cluster: "lab", atSeconds: 2_040, reason: "SpotEvicted", nodeArray: "htc", nodeId: "n-1" },
    });
  });
});
