import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import { type DemandStore, type SourceDemand, unknownSource } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { demandOf } from "./values.ts";

function partOf(index: number) {
  return { index, jobs: [], nodes: [{ hostname: `host-${index}`, resources: {} }] };
}

export const demandStoreCases: ContractCases<DemandStore> = {
  ...recordCases<DemandStore, SourceDemand>({
    what: "demand",
    of: (name, sequence) => demandOf("of-demand", name, { sequence }),
    load: (store, name) => store.load("of-demand", name),
    save: (store, _, value, ifMatch) => store.save(value, ifMatch),
  }),
  "what a source can do, and the state of its nodes, come back as they were": async (store) => {
    const cluster = uniqueCluster();
    const nodes = [{ hostname: "h", resources: {}, state: "drained", eventAtSeconds: 1.5 } as const];
    const demand = demandOf(cluster, "slurm", { capabilities: ["drain"], nodes });
    await store.save(demand, undefined);
    expect((await store.load(cluster, "slurm"))?.value).toEqual(demand);
    const delta = { index: 0, jobs: [], nodes, remove: [], capabilities: ["drain"] } as const;
    await store.savePart({ cluster, source: "slurm", sequence: 3 }, delta);
    expect(await store.loadParts({ cluster, source: "slurm", sequence: 3 })).toEqual([delta]);
  },
  "what was set aside and what was refused come back as they were, and in short": async (store) => {
    const cluster = uniqueCluster();
    const running = { hostnames: ["h1", "h1"], isWhole: false, constraints: { ncpus: 2 } };
    const items = [
      { kind: "job", index: 3, name: "a\n☃\ud800", problems: ["iterations: -1"], running },
      { kind: "node", index: 0, name: null, problems: [] },
      { kind: "remove", index: 0, name: "b", problems: ["x".repeat(1_000)] },
      { kind: "job", index: 4, name: "☃".repeat(256), problems: ["☃".repeat(1_000)] },
    ] as const;
    const times = { sinceSeconds: 1.5, lastSeconds: 2.5, untilSeconds: 302.5 };
    const problems = ["☃".repeat(200), "second", "third"];
    const refused = { ...times, sequence: null, messages: 7, problems, claimedSource: "☃".repeat(256) };
    const demand = demandOf(cluster, "pbs", { setAside: { items, more: 2 }, refused });
    await store.save(demand, undefined);
    expect((await store.load(cluster, "pbs"))?.value).toEqual(demand);
    const [summary] = await store.summaries(cluster);
    expect(summary?.setAside).toMatchObject({ items: 6, lost: 1 });
    expect(summary?.setAside?.first).toHaveLength(3);
    expect(summary?.refused).toMatchObject({ ...times, messages: 7 });
    const part = { index: 0, jobs: [], nodes: [], setAside: items };
    await store.savePart({ cluster, source: "pbs", sequence: 3 }, part);
    expect(await store.loadParts({ cluster, source: "pbs", sequence: 3 })).toEqual([part]);
  },
  "what no known source sent has its place among the sources": async (store) => {
    const cluster = uniqueCluster();
    for (const source of ["pbs", unknownSource]) await store.save(demandOf(cluster, source), undefined);
    expect((await store.list(cluster)).map(({ source }) => source)).toEqual([unknownSource, "pbs"]);
    expect((await store.load(cluster, unknownSource))?.value.source).toBe(unknownSource);
  },
  "jobs come back as they were, in their order, whatever they have in common": async (store) => {
    const cluster = uniqueCluster();
    const job = {
      constraints: [{ ncpus: 2, "node.vm_size": ["Standard_F4", "☃"] }],
      iterations: 1,
      nodeCount: 0,
      colocated: false,
      exclusive: false,
      executingHostnames: [],
      priority: 0,
    };
    const jobs = [
      { ...job, name: "a" },
      { ...job, name: "b", executingHostnames: ["h1", "h2"], submittedAt: "2026-11-22T10:00:00Z" },
      { ...job, name: "a", iterations: 7 },
      { ...job, name: "d", nodeCount: 2, packingStrategy: "scatter" as const },
      { ...job, name: "e", constraints: null },
      { ...job, name: "f", submittedAt: "2026-11-22T11:00:00Z" },
      { ...job, name: "__proto__", constraints: { or: [{ ncpus: 1 }, { ncpus: 2 }] } },
      { ...job, name: "h" },
      { ...job, name: "i", user: "ada", account: "fluids", queue: "htc", interruptible: false },
      { ...job, name: "j", user: "ada", runtimeSeconds: 60, startedAtSeconds: 1_800_000_000 },
      { ...job, name: "k", user: "bob", jobName: "mesh", executingHostnames: ["h3"] },
    ];
    const runTimes = [{ user: null, jobName: "mesh", lastSeconds: [60, 0.5] }];
    const demand = demandOf(cluster, "pbs", { jobs, runTimes });
    await store.save(demand, undefined);
    expect((await store.load(cluster, "pbs"))?.value).toEqual(demand);
    expect(await store.list(cluster)).toEqual([demand]);
  },
  "a summary tells all but the jobs and nodes, of which it tells the number": async (store) => {
    const cluster = uniqueCluster("☃");
    const demand = demandOf(cluster, "slurm", { capabilities: ["drain"], ignoredMessages: 3 });
    await store.save(demandOf(cluster, "pbs"), undefined);
    const runTimes = [{ user: "ada", jobName: "mesh", lastSeconds: [60] }];
    await store.save({ ...demand, runTimes }, undefined);
    const { jobs: _, nodes, ...rest } = demand;
    const summary = { ...rest, jobs: 0, running: 0, nodes: nodes.length };
    expect(await store.summaries(cluster)).toEqual([expect.objectContaining({ source: "pbs" }), summary]);
    const etag = (await store.load(cluster, "slurm"))?.etag;
    await store.save({ ...demand, sequence: 9, nodes: [] }, etag);
    expect((await store.summaries(cluster))[1]).toEqual({ ...summary, sequence: 9, nodes: 0 });
  },
  "sources are listed by name, those of other clusters and parts not": async (store) => {
    const cluster = uniqueCluster();
    const parts = { cluster, source: "celery", sequence: 7 };
    expect(await store.list(cluster)).toEqual([]);
    await store.savePart(parts, partOf(0));
    for (const source of ["slurm", "celery", "a"]) await store.save(demandOf(cluster, source), undefined);
    await store.save(demandOf(`${cluster}-2`, "other"), undefined);
    expect((await store.list(cluster)).map((demand) => demand.source)).toEqual(["a", "celery", "slurm"]);
  },
  "parts come back by index, a repeated one replaced, whatever the order of arrival": async (store) => {
    const parts = { cluster: uniqueCluster(), source: "celery", sequence: 7 };
    for (const index of [10, 2, 0, 2]) await store.savePart(parts, partOf(index));
    expect(await store.loadParts(parts)).toEqual([partOf(0), partOf(2), partOf(10)]);
    expect(await store.loadParts({ ...parts, sequence: 8 })).toEqual([]);
    await store.savePart({ ...parts, sequence: 8 }, partOf(1));
    await store.savePart({ ...parts, source: "a b" }, partOf(1));
    expect(await store.waitingParts(parts)).toEqual([
      ...[0, 2, 10].map((index) => ({ sequence: 7, index })),
      { sequence: 8, index: 1 },
    ]);
    expect((await store.sourcesWithParts(parts.cluster)).toSorted()).toEqual(["a b", "celery"]);
    expect(await store.sourcesWithParts(uniqueCluster())).toEqual([]);
  },
  "the first part of a message is read and forgotten alone, by its name": async (store) => {
    const message = { cluster: uniqueCluster("/?#"), source: "a b", sequence: 7 };
    await store.savePart(message, partOf(1));
    expect(await store.loadFirstPart(message)).toBeUndefined();
    await store.dropFirstPart(message);
    await store.savePart(message, partOf(0));
    await store.savePart({ ...message, sequence: 8 }, partOf(0));
    expect(await store.loadFirstPart(message)).toEqual(partOf(0));
    await store.dropFirstPart(message);
    expect(await store.loadParts(message)).toEqual([partOf(1)]);
    expect(await store.waitingParts(message)).toEqual([
      { sequence: 7, index: 1 },
      { sequence: 8, index: 0 },
    ]);
  },
  "a source is removed unless it was saved since it was read": async (store) => {
    const cluster = uniqueCluster();
    await store.save(demandOf(cluster, "celery"), undefined);
    const read = await store.load(cluster, "celery");
    await store.save(demandOf(cluster, "celery", { sequence: 2 }), read?.etag);
    const source = { cluster, source: "celery" };
    await expect(store.remove(source, read?.etag ?? "")).rejects.toThrow(ConflictError);
    await store.remove(source, (await store.load(cluster, "celery"))?.etag ?? "");
    expect(await store.load(cluster, "celery")).toBeUndefined();
    expect(await store.summaries(cluster)).toEqual([]);
  },
  "dropping parts forgets this snapshot and older ones of the source, nothing else": async (store) => {
    const cluster = uniqueCluster();
    const kept = [
      { cluster, source: "celery", sequence: 11 },
      { cluster, source: "slurm", sequence: 9 },
      { cluster, source: "celery-2", sequence: 9 },
    ];
    const dropped = [9, 10].map((sequence) => ({ cluster, source: "celery", sequence }));
    for (const parts of [...kept, ...dropped]) await store.savePart(parts, partOf(1));
    await store.dropParts({ cluster, source: "celery", sequence: 10 });
    for (const parts of kept) expect(await store.loadParts(parts)).toHaveLength(1);
    for (const parts of dropped) expect(await store.loadParts(parts)).toEqual([]);
  },
  "odd cluster and source names are kept apart": async (store) => {
    const cluster = uniqueCluster("/?#");
    for (const name of oddNames) await store.save(demandOf(cluster, name), undefined);
    const sources = (await store.list(cluster)).map((demand) => demand.source);
    expect(sources).toEqual([...oddNames].sort());
    expect((await store.load(cluster, ".."))?.value.source).toBe("..");
  },
  "a summary that no header holds is told all the same": async (store) => {
    const cluster = uniqueCluster("集".repeat(250));
    const capabilities = Array.from({ length: 60 }, (_, index) => `ünknown ${index} ${"☃".repeat(20)}`);
    const demand = demandOf(cluster, "celery", { capabilities: capabilities as never });
    await store.save(demand, undefined);
    const { jobs, nodes, ...rest } = demand;
    expect(await store.summaries(cluster)).toEqual([
      { ...rest, jobs: jobs.length, running: 0, nodes: nodes.length },
    ]);
  },
};
