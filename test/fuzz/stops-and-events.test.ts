import { HttpRequest, InvocationContext } from "@azure/functions";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { nodeEvents } from "../../functions/node-events.ts";
import { problemSchema } from "../../shared/api/index.ts";
import { eventOf } from "../support/event.ts";
import { handlerOf } from "../support/http-handlers.ts";
import { cluster, jobFor } from "../support/world.ts";
import { type Json, mutated, mutation } from "./mutation.ts";
import { patienceMs, runs } from "./runs.ts";
import { served } from "./served-world.ts";

// The composition root of the process, for which the world in memory stands in.

const httpAutostop = handlerOf("autostop");
const httpStop = handlerOf("stop");

let invocations = 0;

beforeEach(() => served.renew());

function contextOf(): InvocationContext {
  invocations += 1;
  return new InvocationContext({ invocationId: `i-${invocations}`, logHandler: () => {} });
}

/** Two nodes that run jobs: nobody may stop them, whatever is asked. */
async function busyWorld(): Promise<void> {
  served.renew();
  await served.world.post([jobFor(2)], { ttlSeconds: 80_000 });
  await served.world.round();
  served.world.cycleCloud.settle();
  served.world.advance(10);
  const executingHostnames = served.world.cycleCloud.nodes.map(({ hostname }) => hostname);
  await served.world.post([jobFor(2, { executingHostnames })], { ttlSeconds: 80_000 });
  await served.world.round();
}

const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom(
    "",
    " ",
    "null",
    "__proto__",
    "vm-1",
    "node-1",
    "' or 1 eq 1",
    "\u0000",
    "n".repeat(50_000),
  ),
);
const query = fc.dictionary(
  fc.constantFrom("instance", "reason", "by", "code", "x", "__proto__"),
  hostileText,
);

test(
  "400 questions to stop: each is answered with what the API says, and no busy node goes",
  async () => {
    await busyWorld();
    const ids = served.world.cycleCloud.nodes.map(({ nodeId }) => nodeId);
    const instance = fc.oneof(hostileText, fc.constantFrom(...ids));
    const asked = fc.record({
      params: fc.record({ cluster: fc.oneof(hostileText, fc.constant(cluster)) }),
      query: fc.tuple(query, fc.option(instance, { nil: undefined })).map(([given, node]) => ({
        ...given,
        ...(node === undefined ? {} : { instance: node }),
      })),
      headers: fc.dictionary(
        fc.constantFrom("authorization", "api-version"),
        fc.string({ unit: "grapheme-ascii", maxLength: 50 }).map((text) => text.replaceAll(/[^ -~]/g, "")),
      ),
      ask: fc.constantFrom(httpAutostop, httpStop),
    });
    const seen = new Map<number, number>();
    const property = fc.asyncProperty(asked, async ({ ask, ...made }) => {
      const method = ask === httpStop ? "POST" : "GET";
      const url = "http://127.0.0.1/api/clusters/x/stop";
      const answer = await ask(
        new HttpRequest({
          method,
          url,
          ...made,
          headers: { "content-type": "application/json", ...made.headers },
        }),
        contextOf(),
      );
      const status = answer.status ?? 200;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      expect([400, 404, 409]).toContain(status);
      problemSchema.parse(answer.jsonBody);
      expect(JSON.stringify(answer.jsonBody).length).toBeLessThan(10_000);
    });
    await fc.assert(property, runs(400));
    expect(served.world.cycleCloud.calls.filter((call) => call === "shutdown")).toEqual([]);
    expect(Math.min(seen.get(400) ?? 0, seen.get(404) ?? 0)).toBeGreaterThan(10);
  },
  patienceMs,
);

const event = fc
  .record({
    kind: fc.constantFrom("NodeTerminated", "NodeCreated", "NodeAdded", "ClusterDeleted", "Strange"),
    reason: fc.constantFrom("SpotEvicted", "AllocationFailed", "Autoscaled"),
    mutations: fc.array(mutation, { maxLength: 3 }),
  })
  .map((made) => ({
    of: (): unknown => {
      const good = eventOf(made.kind, { atSeconds: 1_800_000_000, data: { reason: made.reason } });
      return mutated(good as Json, made.mutations);
    },
  }));

test(
  "500 events: none is thrown over, none changes anything but losses and looks, and a good one is heard after them",
  async () => {
    await busyWorld();
    const { ports, cycleCloud } = served.world;
    const before = await ports.history.list(cluster);
    const property = fc.asyncProperty(event, async (made) => {
      await nodeEvents(made.of(), contextOf());
    });
    await fc.assert(property, runs(500));
    expect(await ports.history.list(cluster)).toEqual(before);
    // Nobody's clock moved: all of them together are a look and a plan at most.
    expect(ports.planRequests.scheduled.length).toBeLessThanOrEqual(2);
    for (const loss of await ports.losses.recent(cluster, 10_000))
      expect(JSON.stringify(loss).length).toBeLessThan(3_000);
    served.world.advance(10);
    cycleCloud.clear();
    await nodeEvents(eventOf("NodeTerminated", { id: "good", atSeconds: served.world.now() }), contextOf());
    served.world.advance(2);
    expect(ports.planRequests.scheduled.map(({ request }) => request.reason)).toContainEqual(
      expect.stringContaining("NodeTerminated"),
    );
  },
  patienceMs,
);
