import { HttpRequest, HttpResponse, InvocationContext } from "@azure/functions";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { acceptDemand } from "../../functions/accept-demand.ts";
import { executeAction } from "../../functions/execute-action.ts";
import { planScale } from "../../functions/plan-scale.ts";
import { watchDeadActions, watchDeadPlanRequests } from "../../functions/watch-dead-letters.ts";
import { watchRejects } from "../../functions/watch-rejects.ts";
import { kindOf } from "../../shared/errors/errors.ts";
import { handlerOf } from "../support/http-handlers.ts";
import { createAction, nodesAction, operationOf } from "../support/operation.ts";
import { cluster, jobFor } from "../support/world.ts";
import { type Json, mutated, mutation } from "./mutation.ts";
import { patienceMs, runs } from "./runs.ts";
import { served } from "./served-world.ts";

// The composition root of the process, for which the world in memory stands in.

const httpAutoscale = handlerOf("autoscale");
const httpStatus = handlerOf("status");

const batch = 100;
let invocations = 0;

beforeEach(() => served.renew());

function contextOf(triggerMetadata: Record<string, unknown> = {}): InvocationContext {
  invocations += 1;
  return new InvocationContext({ invocationId: `i-${invocations}`, triggerMetadata, logHandler: () => {} });
}

function statusOf(name: string) {
  const url = `http://127.0.0.1/api/clusters/${encodeURIComponent(name.toWellFormed())}/status`;
  return httpStatus(new HttpRequest({ method: "GET", url, params: { cluster: name } }), contextOf());
}

/**
 * A body that is not what it should be is refused with the schema's reasons, and nothing else is thrown but our errors.
 * Of one that is nested too deeply the schema runs out of stack as it tells them; the broker gives it up all the same.
 */
async function takenOrRefused(run: () => Promise<void>): Promise<"taken" | "refused"> {
  try {
    await run();
    return "taken";
  } catch (error) {
    if (error instanceof z.ZodError) expect(error.issues.length).toBeGreaterThan(0);
    else if (!(error instanceof RangeError) && kindOf(error) === undefined) throw error;
    return "refused";
  }
}

const hostileName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom(
    ...["__proto__", "constructor", "hasOwnProperty", "", ".", "..", "../config", "%2e%2e", "HPC"],
  ),
  fc.constantFrom(...["hpc\u0000", "hpc ", "hpc.json", "\ud800", "n".repeat(100_000), "' or 1 eq 1 or '"]),
);

test(
  "500 names of clusters: the status of one that is not configured is not found",
  async () => {
    await fc.assert(
      fc.asyncProperty(hostileName, async (name) => {
        const answer = await statusOf(name);
        expect(answer.status).toBe(404);
        expect(JSON.stringify(answer.jsonBody).length).toBeLessThan(1_000);
      }),
      runs(500),
    );
    expect(await new HttpResponse(await statusOf(cluster)).json()).toMatchObject({ cluster });
  },
  patienceMs,
);

const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
/** Bodies come as JSON, and as text when they are none. */
const body = (start: fc.Arbitrary<unknown>) =>
  fc.record({ start, mutations, isText: fc.boolean() }).map((made) => ({
    ...made,
    of: () => transported(mutated(made.start as Json, made.mutations), made.isText),
  }));

function transported(json: Json, isText: boolean): unknown {
  if (!isText) return json;
  try {
    return JSON.stringify(json);
  } catch {
    return json;
  }
}

const planRequest = fc.constant({
  version: 1,
  cluster,
  reason: "demand from celery",
  atSeconds: 1_800_000_000,
});

test(
  "300 plan requests: each is refused or planned, and a good one makes a plan",
  async () => {
    const seen = { taken: 0, refused: 0 };
    let count = 0;
    const property = fc.asyncProperty(body(planRequest), async (made) => {
      count += 1;
      seen[await takenOrRefused(() => planScale(made.of(), contextOf()))] += 1;
      if (count % batch > 0) return;
      served.renew();
      await served.world.snapshot();
      await planScale({ version: 1, cluster, reason: "good", atSeconds: 1 }, contextOf());
      expect(await served.world.ports.plans.list(cluster, 10)).toMatchObject([{ reason: "good" }]);
    });
    await fc.assert(property, runs(300));
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(10);
  },
  patienceMs,
);

const definitions = fc.constant([
  { Name: "htc", TargetCoreCount: 128, MachineType: ["Standard_F4s_v2"], Configuration: { a: { b: 1 } } },
  { Name: "special", Extends: "htc", Dynamic: true, TargetCount: 3 },
  { Name: "htc", TargetGroupCount: 2, GroupInstanceCount: 2 },
]);

test(
  "400 autoscale requests: each is refused with problems or taken, and planned for",
  async () => {
    const seen: Record<number, number> = {};
    let count = 0;
    const property = fc.asyncProperty(body(definitions), async (made) => {
      count += 1;
      const text = textOf(made.of());
      const url = `http://127.0.0.1/api/clusters/${cluster}/autoscale`;
      const call = {
        method: "POST",
        url,
        params: { cluster },
        headers: { "content-type": "application/json" },
        body: { string: text },
      } as const;
      const { status = 200, jsonBody } = await httpAutoscale(new HttpRequest(call), contextOf());
      seen[status] = (seen[status] ?? 0) + 1;
      expect([202, 400, 413]).toContain(status);
      if (status === 400) expect(jsonBody.problems.length).toBeGreaterThan(0);
      if (count % batch > 0) return;
      await served.world.round();
      expect(await served.world.ports.plans.list(cluster, 10)).toHaveLength(1);
      served.renew();
    });
    await fc.assert(property, runs(400));
    expect(Math.min(seen[202] ?? 0, seen[400] ?? 0)).toBeGreaterThan(10);
  },
  patienceMs,
);

function textOf(json: unknown): string {
  try {
    return typeof json === "string" ? json : JSON.stringify(json);
  } catch {
    return "[".repeat(50_000);
  }
}

const action = fc.constantFrom(
  createAction(["htc-1", "htc-2"]),
  nodesAction("start-nodes", ["htc-1"]),
  nodesAction("shutdown-nodes", ["htc-1", "htc-2"]),
);

test(
  "400 actions: each is refused or settled, and what the planner did not record is not carried out",
  async () => {
    const seen = { taken: 0, refused: 0 };
    let count = 0;
    const property = fc.asyncProperty(body(action), async (made) => {
      count += 1;
      seen[await takenOrRefused(() => executeAction(made.of(), contextOf()))] += 1;
      expect(served.world.cycleCloud.calls).toEqual([]);
      if (count % batch > 0) return;
      const good = createAction(["htc-1"], { expiresAtSeconds: served.world.now() + 600 });
      served.renew();
      await served.world.ports.operations.save(operationOf(good), undefined);
      await executeAction(good, contextOf());
      expect(served.world.cycleCloud.nodes).toHaveLength(1);
      served.renew();
    });
    await fc.assert(property, runs(400));
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(10);
  },
  patienceMs,
);

const metadata = fc.array(mutation, { maxLength: 2 }).map((some) =>
  mutated(
    {
      messageId: "m",
      deliveryCount: 11,
      applicationProperties: { deadLetterReason: "MaxDeliveryCountExceeded" },
    },
    some,
  ),
);

test(
  "300 messages that were given up: every one is recorded, whatever it and its metadata hold",
  async () => {
    let count = 0;
    const given = fc.record({
      watch: fc.constantFrom(watchDeadActions, watchDeadPlanRequests, watchRejects),
      message: body(fc.oneof(action, planRequest)),
      metadata,
    });
    const property = fc.asyncProperty(given, async ({ watch, message, metadata: facts }) => {
      if (count % batch === 0) served.renew();
      count += 1;
      await watch(message.of(), contextOf({ ...Object(facts), messageId: `m-${count}`, id: `m-${count}` }));
      const { rejections } = served.world.ports;
      const found = [
        await rejections.load(undefined, `m-${count}`),
        await rejections.load(cluster, `m-${count}`),
      ];
      expect(found.filter((each) => each !== undefined)).toHaveLength(1);
      // Hostile facts of the broker must not be in the way of the record either.
      await watch(message.of(), contextOf(Object(facts)));
    });
    await fc.assert(property, runs(300));
  },
  patienceMs,
);

test("accept-demand takes a good message after a batch of bad ones", async () => {
  for (let index = 0; index < batch; index += 1)
    await acceptDemand("[".repeat(index * 500), contextOf({ id: `bad-${index}`, dequeueCount: 1 }));
  const good = { version: 1, kind: "snapshot", cluster, source: "pbs", sequence: 1, jobs: [jobFor(1)] };
  await acceptDemand({ ...good, sentAt: "2026-11-21T10:00:00Z" }, contextOf({ id: "good" }));
  expect(await served.world.ports.demand.list(cluster)).toMatchObject([{ source: "pbs", sequence: 1 }]);
  expect(await served.world.ports.rejections.list(undefined, 1_000)).toHaveLength(batch);
});
