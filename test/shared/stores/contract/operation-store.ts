import { expect } from "vitest";
import { ConflictError, InvariantError } from "../../../../shared/errors/errors.ts";
import type { Operation, OperationState, OperationStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, outcomes, uniqueCluster } from "./suite.ts";
import { actionOf, operationOf, startSeconds } from "./values.ts";

function idsOf(operations: readonly Operation[]): string[] {
  return operations.map((operation) => operation.actionId);
}

async function openIds(store: OperationStore, cluster: string): Promise<string[]> {
  return idsOf((await store.open(cluster)).map((stored) => stored.value));
}

export const operationStoreCases: ContractCases<OperationStore> = {
  ...recordCases<OperationStore, Operation>({
    what: "an operation",
    of: (name, version) => operationOf("of-operations", name, { messages: [`version ${version}`] }),
    load: (store, name) => store.load("of-operations", name),
    save: (store, _, value, ifMatch) => store.save(value, ifMatch),
  }),
  "a cluster without operations has none": async (store) => {
    const cluster = uniqueCluster();
    expect(await store.load(cluster, "a")).toBeUndefined();
    expect(await store.open(cluster)).toEqual([]);
    expect(await store.recent(cluster, 10)).toEqual([]);
  },
  "save returns the ETag that the next save needs, and that load shows; with that of open it saves too":
    async (store) => {
      const cluster = uniqueCluster();
      const first = await store.save(operationOf(cluster, "a"), undefined);
      expect((await store.load(cluster, "a"))?.etag).toBe(first);
      const second = await store.save(operationOf(cluster, "a", { state: "sent" }), first);
      expect(second).not.toBe(first);
      const [open] = await store.open(cluster);
      expect(open?.value).toEqual(operationOf(cluster, "a", { state: "sent" }));
      await store.save(operationOf(cluster, "a", { state: "accepted", operationId: "op1" }), open?.etag);
      expect((await store.load(cluster, "a"))?.value.operationId).toBe("op1");
      const late = [second, open?.etag].map((etag) => store.save(operationOf(cluster, "a"), etag));
      expect((await outcomes(late)).errors).toEqual([expect.any(ConflictError), expect.any(ConflictError)]);
    },
  "an ETag of an older version conflicts, open or closed, and changes nothing": async (store) => {
    const cluster = uniqueCluster();
    const old = await store.save(operationOf(cluster, "a"), undefined);
    await store.save(operationOf(cluster, "a", { state: "sent" }), old);
    for (const state of ["accepted", "lost"] as const) {
      await expect(store.save(operationOf(cluster, "a", { state }), old)).rejects.toThrow(ConflictError);
    }
    expect(await openIds(store, cluster)).toEqual(["a"]);
  },
  "open lists what is planned, sent or accepted, oldest first": async (store) => {
    const cluster = uniqueCluster();
    const states: OperationState[] = ["accepted", "visible", "sent", "failed", "planned", "lost", "dropped"];
    for (const [index, state] of states.entries()) {
      const createdAtSeconds = startSeconds - index;
      await store.save(operationOf(cluster, state, { state, createdAtSeconds }), undefined);
    }
    expect(await openIds(store, cluster)).toEqual(["planned", "sent", "accepted"]);
  },
  "a closed operation can change again, closed or opened": async (store) => {
    const cluster = uniqueCluster();
    let etag = await store.save(operationOf(cluster, "a"), undefined);
    for (const state of ["lost", "visible", "sent", "failed"] as const) {
      etag = await store.save(operationOf(cluster, "a", { state }), etag);
      expect((await store.load(cluster, "a"))?.value.state).toBe(state);
      expect(await openIds(store, cluster)).toEqual(state === "sent" ? ["a"] : []);
    }
    expect(idsOf(await store.recent(cluster, 10))).toEqual(["a"]);
  },
  "recent lists the newest of any state, newest first, no more than asked": async (store) => {
    const cluster = uniqueCluster();
    for (const index of [2, 0, 3, 1]) {
      const changed = { createdAtSeconds: startSeconds + index * 0.001, state: "failed" } as const;
      await store.save(operationOf(cluster, `a-${index}`, changed), undefined);
    }
    expect(idsOf(await store.recent(cluster, 3))).toEqual(["a-3", "a-2", "a-1"]);
    expect(await store.recent(cluster, 0)).toEqual([]);
    expect(idsOf(await store.recent(cluster, 9, startSeconds + 0.002))).toEqual(["a-3", "a-2"]);
    expect(idsOf(await store.recent(cluster, 1, startSeconds + 0.002))).toEqual(["a-3"]);
    expect(await store.recent(cluster, 9, startSeconds + 1)).toEqual([]);
    expect(idsOf(await store.recent(cluster, 2, undefined, startSeconds + 0.002))).toEqual(["a-2", "a-1"]);
    expect(idsOf(await store.recent(cluster, 9, startSeconds + 0.001, startSeconds + 0.002))).toEqual([
      "a-2",
      "a-1",
    ]);
  },
  "a requested operation is saved like any other, and changes the tag of its cluster alone": async (
    store,
  ) => {
    const [cluster, other] = [uniqueCluster(), uniqueCluster()];
    expect(await store.requestsTag(cluster)).toBeUndefined();
    const etag = await store.saveRequested(operationOf(cluster, "a"), undefined);
    expect(await store.load(cluster, "a")).toEqual({ value: operationOf(cluster, "a"), etag });
    const first = await store.requestsTag(cluster);
    await store.saveRequested(operationOf(cluster, "b"), first);
    expect(await store.requestsTag(cluster)).not.toBe(first);
    expect(await openIds(store, cluster)).toEqual(["a", "b"]);
    expect(idsOf(await store.recent(cluster, 10)).toSorted()).toEqual(["a", "b"]);
    await store.save(operationOf(cluster, "a", { state: "visible" }), etag);
    expect(await openIds(store, cluster)).toEqual(["b"]);
    expect(await store.requestsTag(other)).toBeUndefined();
  },
  "a request that was decided on before another was saved conflicts, and changes nothing": async (store) => {
    const cluster = uniqueCluster();
    await store.saveRequested(operationOf(cluster, "a"), undefined);
    const tag = await store.requestsTag(cluster);
    await store.saveRequested(operationOf(cluster, "b"), tag);
    for (const old of [undefined, tag]) {
      await expect(store.saveRequested(operationOf(cluster, "c"), old)).rejects.toThrow(ConflictError);
    }
    expect(await store.load(cluster, "c")).toBeUndefined();
    expect(await openIds(store, cluster)).toEqual(["a", "b"]);
  },
  "requesting what is recorded already conflicts, and does not count as a request": async (store) => {
    const cluster = uniqueCluster();
    await store.saveRequested(operationOf(cluster, "a"), undefined);
    const tag = await store.requestsTag(cluster);
    await expect(store.saveRequested(operationOf(cluster, "a"), tag)).rejects.toThrow(ConflictError);
    expect(await store.requestsTag(cluster)).toBe(tag);
  },
  "of requests that race one is saved": async (store) => {
    const cluster = uniqueCluster();
    const saves = ["a", "b", "c"].map((id) => store.saveRequested(operationOf(cluster, id), undefined));
    const { kept, errors } = await outcomes(saves);
    expect({ kept, lost: errors.length }).toEqual({ kept: 1, lost: 2 });
    for (const error of errors) expect(error).toBeInstanceOf(ConflictError);
    expect(await openIds(store, cluster)).toHaveLength(1);
  },
  "an action of 300 KB keeps every character, also at the seams": async (store) => {
    const cluster = uniqueCluster();
    const reason = `x${'🚀 é \\ " \u0000'.repeat(18_000)}`;
    const operation = operationOf(cluster, "a", { action: actionOf(cluster, "a", reason) });
    expect(JSON.stringify(operation).length).toBeGreaterThan(300_000);
    const etag = await store.save(operation, undefined);
    expect((await store.load(cluster, "a"))?.value).toEqual(operation);
    await store.save(operationOf(cluster, "a", { state: "sent" }), etag);
    expect((await store.load(cluster, "a"))?.value).toEqual(operationOf(cluster, "a", { state: "sent" }));
  },
  "nodes that a row does not hold are left out with a count; words are cut": async (store) => {
    const cluster = uniqueCluster();
    const nodes = Array.from({ length: 1_000 }, (_, index) => ({
      nodeId: `id-${index}`,
      name: "🚀".repeat(300),
      nodeArray: "htc",
      vmSize: "v",
      placementGroup: null,
    }));
    const messages = Array.from({ length: 500 }, () => "é".repeat(5_000));
    const given = operationOf(cluster, "a", { state: "accepted", nodes, messages });
    const etag = await store.save(given, undefined);
    const saved = (await store.load(cluster, "a"))?.value;
    const left = nodes.length - (saved?.nodes.length ?? 0);
    expect(saved?.nodes).toEqual(nodes.slice(0, saved?.nodes.length));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(800);
    expect(saved?.messages.slice(-2)).toEqual([
      "401 more messages",
      `${left} of 1000 nodes are not recorded: a row holds no more`,
    ]);
    expect(Math.max(...(saved?.messages ?? []).map((message) => message.length))).toBe(1_001);
    await store.save({ ...given, state: "visible" }, etag);
    expect((await store.load(cluster, "a"))?.value.messages).toEqual(saved?.messages);
  },
  "an action that a row does not hold is refused, at the first character too many": async (store) => {
    const cluster = uniqueCluster();
    const large = (characters: number) =>
      operationOf(cluster, "a", { action: actionOf(cluster, "a", "x".repeat(characters)) });
    const most = 491_520 - JSON.stringify(large(0)).length;
    const wrong = await store.save(large(most + 1), undefined).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(InvariantError);
    expect(String(wrong)).toContain("491521 characters of JSON, expected at most 491520");
    expect(await store.load(cluster, "a")).toBeUndefined();
    await store.save(large(most), undefined);
    expect((await store.load(cluster, "a"))?.value).toEqual(large(most));
  },
  "odd cluster names and action ids are kept apart": async (store) => {
    const cluster = uniqueCluster(" ?/#'");
    for (const name of oddNames) await store.save(operationOf(cluster, name), undefined);
    expect(await openIds(store, cluster)).toEqual([...oddNames].sort());
    for (const stored of await store.open(cluster)) {
      await store.save({ ...stored.value, state: "dropped" }, stored.etag);
    }
    expect(await openIds(store, cluster)).toEqual([]);
    expect(await store.recent(cluster, 100)).toHaveLength(oddNames.length);
  },
};
