import { describe, expect, test } from "vitest";
import { type DefinitionInput, startCycleCloud } from "../../../../infra/local/cyclecloud/index.ts";
import { ask, labDefinition, startRig } from "./rig.ts";

const status = "/clusters/lab/status";

describe("startCycleCloud", () => {
  const account = { username: "operator", password: "secret" };

  test("startCycleCloud: the same seed and calls give the same nodes", async () => {
    const times = { boot: { minSeconds: 10, medianSeconds: 20, maxSeconds: 90 } };
    const chancy: DefinitionInput = { ...labDefinition, name: "lab", times };
    const rigs = await Promise.all([startRig([chancy]), startRig([chancy])]);
    const seen = await Promise.all(
      rigs.map(async (each) => {
        await each.create("htc", 8);
        each.clock.advance(22);
        return (await each.get("/clusters/lab/nodes")).body;
      }),
    );
    expect(seen[0]).toEqual(seen[1]);
    expect(new Set(seen[0].nodes.map((record: { Status: string }) => record.Status)).size).toBeGreaterThan(1);
    await Promise.all(rigs.map((each) => each.stop()));
  });

  test("startCycleCloud: clusters of one subscription share a region's quota, others do not", async () => {
    const shared = { ...labDefinition, subscription: "s" };
    const three = await startRig([
      shared,
      { ...shared, name: "sibling" },
      { ...labDefinition, name: "stranger" },
    ]);
    await three.create("spot", 5);
    const added = async (cluster: string) => {
      const { body } = await three.post(`/clusters/${cluster}/nodes/create`, {
        sets: [{ nodearray: "spot", count: 1 }],
      });
      return body.sets[0].added;
    };
    expect([await added("sibling"), await added("stranger")]).toEqual([0, 1]);
    await three.stop();
  });

  test("startCycleCloud: a running clock can be sped up", async () => {
    const server = await startCycleCloud({ definitions: [labDefinition], ...account, speed: 0.001 });
    server.control.speed({ speed: 1e6 });
    const create = { method: "POST", body: JSON.stringify({ sets: [{ nodearray: "htc", count: 1 }] }) };
    await ask(`${server.url}/clusters/lab/nodes/create`, create);
    const before = server.control.nowSeconds();
    await ask(`${server.url}${status}`);
    expect(server.control.nowSeconds() - before).toBeGreaterThan(100);
    expect((await ask(`${server.url}/clusters/lab/nodes`)).body.nodes[0].Status).toBe("Ready");
    expect(() => server.control.advance({ seconds: 1 })).toThrow("runs by itself");
    await server.stop();
  });

  test("startCycleCloud: a spot array loses nodes by itself, an on-demand one does not", async () => {
    const stormy = labDefinition.nodearrays.map((array) =>
      array.name === "spot" ? { ...array, evictionsPerHour: 60 } : array,
    );
    const server = await startRig([{ ...labDefinition, nodearrays: stormy }]);
    await server.create("spot", 5);
    await server.create("htc", 5);
    server.clock.advance(3600);
    const { body } = await server.get("/clusters/lab/nodes");
    expect(new Set(body.nodes.map((record: { Template: string }) => record.Template))).toEqual(
      new Set(["htc"]),
    );
    await server.stop();
  });
});
