import { readdir, rm } from "node:fs/promises";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { changesBetween, type Demand } from "../../../clients/agent/changes.ts";
import { Outbox } from "../../../clients/agent/outbox.ts";
import { StateFolder } from "../../../clients/agent/state.ts";
import { mergeDemand } from "../../../shared/cycle/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { parseDemand } from "../../../shared/messages/job-demand.ts";
import type { SourceDemand } from "../../../shared/ports/index.ts";
import type { DemandToSend } from "../../../shared/queues/storage-queue/index.ts";
import { ownFolder } from "../../support/own-folder.ts";

const nowSeconds = 1_795_300_000;
const path = ownFolder(afterEach);

/** The service's side: it merges what arrives, as the cycle does. */
class Service {
  readonly messages: DemandToSend[] = [];
  demand: SourceDemand | undefined;
  isAway = false;

  take(message: DemandToSend): void {
    this.messages.push(message);
    const parsed = parseDemand(JSON.parse(JSON.stringify(message)));
    if (!parsed.ok) throw new Error(parsed.problems.join("; "));
    const merge = mergeDemand(this.demand, parsed.message, { nowSeconds, ttlSeconds: 300 });
    if (merge.outcome !== "merged") throw new Error(`the service has ${merge.outcome} a message`);
    this.demand = merge.demand;
  }
}

function folder() {
  return new StateFolder(path(), { cluster: "hpc", source: "celery" });
}

async function outboxTo(service: Service): Promise<Outbox> {
  const options = {
    cluster: "hpc",
    source: "celery",
    sender: "scheduler:1",
    ttlSeconds: 300,
    destination: {} as never,
    folder: folder(),
    send: async (message: DemandToSend) => {
      if (service.isAway) throw new UpstreamError("Cannot send: no answer", { retryable: true });
      service.take(message);
      return { outcome: "sent", messages: 1 } as const;
    },
  };
  return new Outbox(options, await folder().loadSequence());
}

function demand(...names: readonly string[]): Demand {
  const jobs = names.map((name) => ({ name, constraints: { ncpus: 1 } }));
  return { jobs, nodes: [{ hostname: "ip-1", resources: {}, state: "up" }] };
}

const many = Array.from({ length: 50 }, (_, index) => `job-${index}`);
const has = (service: Service) => service.demand?.jobs.map(({ name }) => name);

describe("what is posted", () => {
  test("first a snapshot, then deltas, and a snapshot again after twenty of them", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    for (let pass = 0; pass < 23; pass++) await outbox.post(demand(...many.slice(pass)), nowSeconds + pass);
    const kinds = service.messages.map(({ kind }) => kind);
    expect(kinds).toEqual(["snapshot", ...Array(20).fill("delta"), "snapshot", "delta"]);
    expect(has(service)).toEqual(many.slice(22));
  });

  test("a snapshot when much changed, or a node is gone, or the queue's order did", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    await outbox.post(demand(...many), nowSeconds);
    await outbox.post(demand(...many.map((name) => `another-${name}`)), nowSeconds + 1);
    await outbox.post({ ...demand(...many), nodes: [] }, nowSeconds + 2);
    await outbox.post({ ...demand(...many.toReversed()), nodes: [] }, nowSeconds + 3);
    expect(service.messages.map(({ kind }) => kind)).toEqual(Array(4).fill("snapshot"));
    expect(has(service)).toEqual(many.toReversed());
  });

  test("a snapshot after one that the service did not take", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    await outbox.post(demand(...many), nowSeconds);
    outbox.startOver();
    await outbox.post(demand(...many), nowSeconds + 1);
    expect(service.messages.map(({ kind }) => kind)).toEqual(["snapshot", "snapshot"]);
  });

  test("snapshots say that the scheduler can drain; deltas leave it", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    await outbox.post(demand(...many), nowSeconds);
    await outbox.post(demand(...many, "more"), nowSeconds + 1);
    expect(service.messages.map(({ kind, capabilities }) => [kind, capabilities])).toEqual([
      ["snapshot", ["drain"]],
      ["delta", undefined],
    ]);
    expect(service.demand?.capabilities).toEqual(["drain"]);
  });

  test("notices for people, in a delta only when they changed", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    const post = (notices: readonly string[] | undefined, at: number) =>
      outbox.post({ ...demand(...many), ...(notices === undefined ? {} : { notices }) }, nowSeconds + at);
    await post(["slurm.conf waits"], 0);
    await post(["slurm.conf waits"], 1);
    await post(undefined, 2);
    expect(service.messages.map(({ kind, notices }) => [kind, notices])).toEqual([
      ["snapshot", ["slurm.conf waits"]],
      ["delta", undefined],
      ["delta", []],
    ]);
    expect(service.demand?.notices).toBeUndefined();
  });

  test("shapes of nodes, in a delta only when they changed", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    const counting = (ncpus: number) => ({
      ...demand(...many),
      nodeShapes: [{ nodeArray: "htc", resources: { ncpus } }],
    });
    await outbox.post(counting(2), nowSeconds);
    await outbox.post(counting(2), nowSeconds + 1);
    await outbox.post(counting(4), nowSeconds + 2);
    await outbox.post(demand(...many), nowSeconds + 3);
    expect(service.messages.map(({ kind, nodeShapes }) => [kind, nodeShapes?.length])).toEqual([
      ["snapshot", 1],
      ["delta", undefined],
      ["delta", 1],
      ["delta", 0],
    ]);
    expect(service.demand?.nodeShapes).toEqual([]);
  });

  test("whatever the readings, the service has the newest one", async () => {
    const reading = fc.record({
      jobs: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 5 }),
      nodes: fc.uniqueArray(fc.constantFrom("ip-1", "ip-2"), { maxLength: 2 }),
      state: fc.constantFrom("up", "draining", "drained" as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(reading, { minLength: 1, maxLength: 8 }), async (readings) => {
        const service = new Service();
        const outbox = await outboxTo(service);
        for (const [index, { jobs, nodes, state }] of readings.entries()) {
          const wanted = {
            jobs: demand(...jobs, ...many).jobs,
            nodes: nodes.map((hostname) => ({ hostname, resources: {}, state })),
          } as Demand;
          await outbox.post(wanted, nowSeconds + 100 * index);
          expect(has(service)).toEqual(wanted.jobs.map(({ name }) => name));
          expect(service.demand?.nodes.map(({ hostname }) => hostname).sort()).toEqual([...nodes].sort());
        }
        await rm(path(), { recursive: true, force: true });
      }),
      { numRuns: 30 },
    );
  });

  test("a change of nothing is an empty delta", () => {
    expect(changesBetween(demand("a"), demand("a"))).toEqual({ jobs: [], nodes: [], remove: [] });
  });
});

describe("sequence numbers", () => {
  test("grow over a restart, also one that nobody was ready for", async () => {
    const service = new Service();
    for (let restart = 0; restart < 3; restart++) {
      const outbox = await outboxTo(service);
      await outbox.post(demand("a"), nowSeconds);
      await outbox.post(demand("b"), nowSeconds);
    }
    const numbers = service.messages.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(service.messages[2]?.kind).toBe("snapshot");
  });

  test("grow when the state was lost", async () => {
    const service = new Service();
    await (await outboxTo(service)).post(demand("a"), nowSeconds);
    await rm(path(), { recursive: true, force: true });
    await (await outboxTo(service)).post(demand("b"), nowSeconds + 15);
    expect(has(service)).toEqual(["b"]);
  });
});

describe("while the queue is away", () => {
  test("the newest reading is kept, and sent by who comes next, under a new number", async () => {
    const service = new Service();
    service.isAway = true;
    const outbox = await outboxTo(service);
    await outbox.post(demand("a"), nowSeconds);
    expect(await outbox.post(demand("b"), nowSeconds + 15)).toMatchObject({ outcome: "kept" });
    expect((await readdir(path())).sort()).toEqual(["hpc.celery.sequence.json", "hpc.celery.unsent.json"]);

    service.isAway = false;
    const next = await outboxTo(service);
    expect(await next.postKept(nowSeconds + 30)).toMatchObject({ outcome: "sent", kind: "snapshot" });
    expect(has(service)).toEqual(["b"]);
    expect(await next.postKept(nowSeconds + 45)).toBeUndefined();
  });

  test("what was kept too long is no demand any more", async () => {
    const service = new Service();
    service.isAway = true;
    await (await outboxTo(service)).post(demand("a"), nowSeconds);
    service.isAway = false;
    expect(await (await outboxTo(service)).postKept(nowSeconds + 300)).toBeUndefined();
    expect(service.messages).toEqual([]);
  });

  test("a delta never follows a message that may not have arrived", async () => {
    const service = new Service();
    const outbox = await outboxTo(service);
    await outbox.post(demand(...many), nowSeconds);
    service.isAway = true;
    await outbox.post(demand(...many, "x"), nowSeconds + 1);
    service.isAway = false;
    expect(await outbox.post(demand(...many, "x", "y"), nowSeconds + 2)).toMatchObject({ kind: "snapshot" });
    expect(has(service)).toEqual([...many, "x", "y"]);
  });
});
