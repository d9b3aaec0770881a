import { afterEach, expect, test } from "vitest";
import { connectService } from "../../../clients/cli/service/http-client.ts";
import { keptAliveOf, namedNodesOf } from "../../../clients/cli/service/named-nodes.ts";
import { answer, serve, stopServing } from "./acting-service.ts";

/** What the agent asks of the service for nodes that a scheduler names. */

afterEach(stopServing);

const named = () =>
  namedNodesOf(connectService({ url: process.env.CCSCALE_URL ?? "" }, "hpc"), "agent slurm");
const order = { names: ["htc-3", "htc-7"], nodeArray: "htc", reason: "Slurm resumes for job 7" };

test("names are ordered as a whole, and each has the id of its action", async () => {
  const create = [{ nodeArray: "htc", vmSize: "F2", placementGroup: null, count: 2, names: order.names }];
  const bodies = await serve({
    answer: { ...answer, actions: [{ actionId: "a-9", kind: "create-nodes", nodes: [], create }] },
  });
  const placed = { ...order, placementGroup: "htc_pg0" };
  expect(await named().create(placed, "k")).toEqual({
    outcome: "requested",
    actionIdOf: new Map(order.names.map((name) => [name, "a-9"])),
  });
  expect(bodies).toMatchObject([{ kind: "create-nodes", by: "agent slurm", ...placed }]);
});

test.each([
  [
    ["1 of 2 nodes can be had now", "htc: the limit leaves 1", "gpu: is another array"],
    {
      outcome: "refused",
      why: "1 of 2 nodes can be had now; htc: the limit leaves 1",
    },
  ],
  [["nothing is sent: paused by ann"], { outcome: "refused", why: "nothing is sent: paused by ann" }],
  [
    ['names: "htc-3" is Terminating, expected a name that no node has'],
    { outcome: "refused", why: 'names: "htc-3" is Terminating, expected a name that no node has' },
  ],
])("a refusal because of %j", async (problems, expected) => {
  await serve({ problem: { title: "Nothing was done", problems } });
  expect(await named().create(order, "k")).toEqual(expected);
});

test("names that are in use are in a field of their own, whatever its sentences are", async () => {
  await serve({ problem: { title: "Nothing was done", problems: ["htc-3 goes"], takenNames: ["htc-3"] } });
  expect(await named().create(order, "k")).toEqual({ outcome: "taken" });
});

test("a name that CycleCloud never takes is refused, and nobody is asked", async () => {
  const bodies = await serve();
  const { outcome } = await named().create({ ...order, names: ["htc-007"] }, "k");
  expect([outcome, bodies]).toEqual(["refused", []]);
});

test("machines that go, and those that stay because that is refused; what is on its way already is neither", async () => {
  const skipped = [
    { node: "htc-3", why: "is keep-alive in CycleCloud", next: "", refused: true },
    { node: "htc-4", why: "is Terminating", next: "", refused: false },
  ];
  const bodies = await serve({ answer: { ...answer, skipped } });
  expect(await named().remove(["htc-1", "htc-2", "htc-3", "htc-4"])).toEqual({
    asked: ["htc-1", "htc-2"],
    stays: [{ name: "htc-3", why: "is keep-alive in CycleCloud" }],
  });
  expect(bodies).toMatchObject([{ kind: "delete", nodes: { names: ["htc-1", "htc-2", "htc-3", "htc-4"] } }]);
});

test("an operation goes on until CycleCloud has answered and its nodes are there", async () => {
  await serve({ states: ["accepted", "visible"] });
  const { operation } = named();
  expect([(await operation("a-1")).isOpen, (await operation("a-1")).isOpen]).toEqual([true, false]);
});

test("a node that is kept alive for the scheduler is told by its reason from one that anybody else keeps", async () => {
  const bodies = await serve();
  await named().keepAlive(["htc-1"], true);
  const [{ reason } = { reason: "" }] = bodies as { readonly reason: string }[];
  expect(bodies).toMatchObject([
    { kind: "keep-alive", by: "agent slurm", nodes: { names: ["htc-1"] }, on: true },
  ]);
  const record = { kind: "keep-alive", by: "an-app", sinceSeconds: 1, untilSeconds: null } as const;
  expect(
    [
      { keepAlive: false, kept: [] },
      { keepAlive: true, kept: [] },
      { keepAlive: true, kept: [{ ...record, reason: "debugging" }] },
      { keepAlive: true, kept: [{ ...record, reason }] },
    ].map(keptAliveOf),
  ).toEqual([undefined, "others", "others", "scheduler"]);
});
