import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";

let stack: LocalStack;

beforeAll(async () => {
  stack = await startStack({
    config: { idle_timeout: 4, boot_timeout: 60, demand_ttl: 120, operation_timeout: 30 },
  });
});

afterAll(() => stack?.stop());

const job = (name: string, hostnames?: readonly string[]) => ({
  name,
  iterations: 1,
  constraints: [{ ncpus: 4, "node.nodearray": "htc" }],
  ...(hostnames && { "executing-hostnames": hostnames }),
});

test("a node whose node array was removed from the template keeps its job, takes no other, and is deleted when it is idle", {
  timeout: 300_000,
}, async () => {
  await stack.post([job("a")]);
  const nodes = await eventually(
    () => stack.nodes(),
    (all) => all.some(({ Template, Status }) => Template === "htc" && Status === "Ready"),
  );
  const hostnames = nodes.flatMap(({ Template, Hostname }) => (Template === "htc" ? (Hostname ?? []) : []));
  expect(hostnames).toHaveLength(1);
  await stack.post([job("a", hostnames), job("b")]);
  await stack.simulator.tell("removeArray", { cluster: stack.cluster, nodearray: "htc" });

  const left = await eventually(
    () => stack.readStatus(),
    ({ draining }) => draining.length > 0,
  );
  expect(left.draining).toMatchObject([
    { by: "the autoscaler", why: 'CycleCloud no longer lists its node array "htc"' },
  ]);
  await stack.post([]);
  const rest = await eventually(
    () => stack.nodes(),
    (all) => all.every(({ Template }) => Template !== "htc"),
  );
  expect(rest.map(({ Name }) => Name)).toEqual(["scheduler"]);
});
