import { expect } from "vitest";
import type { PlanRequest } from "../../../shared/messages/plan-request.ts";
import type { ScaleAction } from "../../../shared/messages/scale-action.ts";
import type { PlanRequests, ScaleActions, ScheduledPlanRequest } from "../../../shared/ports/index.ts";

/** The queues, and what their receiver gets: every message of a cluster that is due, in order. */
export interface BusBench {
  readonly planRequests: PlanRequests;
  readonly scaleActions: ScaleActions;
  readonly nowSeconds: () => number;
  receivePlanRequests(cluster: string): Promise<readonly PlanRequest[]>;
  receiveActions(cluster: string): Promise<readonly ScaleAction[]>;
}

export function requestOf(
  cluster: string,
  messageId: string,
  deliverAtSeconds: number,
): ScheduledPlanRequest {
  const request: PlanRequest = { version: 1, cluster, reason: messageId, atSeconds: deliverAtSeconds - 1 };
  return { request, messageId, deliverAtSeconds };
}

export function actionOf(
  cluster: string,
  actionId: string,
  nowSeconds: number,
  reason = "jobs wait",
): ScaleAction {
  return {
    version: 1,
    actionId,
    planId: "plan-1",
    cluster,
    requestId: "00000000-0000-5000-8000-000000000000",
    reason,
    createdAtSeconds: nowSeconds,
    expiresAtSeconds: nowSeconds + 60,
    kind: "start-nodes",
    nodes: [{ nodeId: "n1", name: "htc-1" }],
  };
}

/** What both buses promise; each case has a cluster of its own. */
export const busCases: Readonly<Record<string, (bench: BusBench) => Promise<void>>> = {
  "a burst with one message id is received once, as the first of it": async (bench) => {
    const now = bench.nowSeconds();
    for (const reason of ["first", "second"]) {
      const scheduled = requestOf("burst", "burst:1", now - 1);
      await bench.planRequests.send({ ...scheduled, request: { ...scheduled.request, reason } });
    }
    const received = await bench.receivePlanRequests("burst");
    expect(received.map((request) => request.reason)).toEqual(["first"]);
  },
  "a request is not received before its time": async (bench) => {
    const now = bench.nowSeconds();
    await bench.planRequests.send(requestOf("early", "early:later", now + 600));
    await bench.planRequests.send(requestOf("early", "early:due", now - 1));
    const received = await bench.receivePlanRequests("early");
    expect(received.map((request) => request.reason)).toEqual(["early:due"]);
  },
  "actions are received whole and in order, over several batches": async (bench) => {
    const padding = "x".repeat(60_000);
    const actions = Array.from({ length: 9 }, (_, index) =>
      actionOf("order", `order-${index}`, bench.nowSeconds(), padding),
    );
    await bench.scaleActions.send(actions);
    const received = await bench.receiveActions("order");
    expect(received.map(({ actionId }) => actionId)).toEqual(actions.map(({ actionId }) => actionId));
    expect(received.map(({ reason }) => reason === padding)).toEqual(actions.map(() => true));
  },
  "an action that was sent before is not received again": async (bench) => {
    const [a, b] = ["a", "b"].map((id) => actionOf("repeat", `repeat-${id}`, bench.nowSeconds()));
    if (a === undefined || b === undefined) throw new Error("two actions were made");
    await bench.scaleActions.send([a]);
    await bench.scaleActions.send([a, b]);
    expect(await bench.receiveActions("repeat")).toEqual([a, b]);
  },
  "a copy for another try is received beside the action, at its time and once": async (bench) => {
    const now = bench.nowSeconds();
    const action = actionOf("again", "again-1", now);
    await bench.scaleActions.send([action]);
    for (const _ of [1, 2]) await bench.scaleActions.sendLater(action, { attempt: 1, atSeconds: now - 1 });
    await bench.scaleActions.sendLater(action, { attempt: 2, atSeconds: now + 600 });
    expect(await bench.receiveActions("again")).toEqual([action, action]);
  },
  "an action of more bytes than a message holds is refused for good, however few its characters": async (
    bench,
  ) => {
    const large = actionOf("bytes", "bytes-1", bench.nowSeconds(), "集".repeat(90_000));
    expect(JSON.stringify(large).length).toBeLessThan(100_000);
    for (const sending of [
      bench.scaleActions.send([large]),
      bench.scaleActions.sendLater(large, { attempt: 1, atSeconds: bench.nowSeconds() }),
    ])
      await expect(sending).rejects.toMatchObject({ kind: "upstream", retryable: false });
    const full = actionOf("bytes", "bytes-2", bench.nowSeconds(), "集".repeat(85_000));
    await bench.scaleActions.send([full]);
    expect(await bench.receiveActions("bytes")).toEqual([full]);
  },
  "sending no actions sends nothing": async (bench) => {
    await bench.scaleActions.send([]);
  },
  "a cluster name and ids longer than the broker's limits are told apart by their ends": async (bench) => {
    const long = "集".repeat(256);
    const actions = ["1", "2"].map((end) => actionOf(long, `${long}-${end}`, bench.nowSeconds()));
    await bench.scaleActions.send(actions);
    await bench.scaleActions.send([actionOf(`${long}2`, "other", bench.nowSeconds())]);
    expect(await bench.receiveActions(long)).toEqual(actions);
  },
};
