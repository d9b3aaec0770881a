import { BlobServiceClient } from "@azure/storage-blob";
import { beforeAll, describe, expect, test } from "vitest";
import { ConfigurationError, UpstreamError } from "../../../shared/errors/errors.ts";
import type { LogFields, Stores } from "../../../shared/ports/index.ts";
import { BlobConfigStore, type ParseConfig } from "../../../shared/stores/azure/config-blobs.ts";
import { TableConfigVersionStore } from "../../../shared/stores/azure/config-version-table.ts";
import { BlobDemandStore } from "../../../shared/stores/azure/demand-blobs.ts";
import {
  type AzureStoreOptions,
  connectStorage,
  createAzureStores,
  type StorageClients,
} from "../../../shared/stores/azure/index.ts";
import { AzurePlanStore } from "../../../shared/stores/azure/plan-store.ts";
import { Table } from "../../../shared/stores/azure/table.ts";
import { type Account, emptyAccount } from "../../support/azurite.ts";
import {
  actionOf,
  archivedOf,
  configOf,
  demandOf,
  operationOf,
  rejectionOf,
  rowOf,
  snapshotOf,
  startSeconds,
  summaryOf,
} from "./contract/values.ts";

let account: Account;
let clients: StorageClients;

beforeAll(async () => {
  account = await emptyAccount();
  clients = connectStorage(account);
});

describe("BlobConfigStore", () => {
  test("a file is parsed when it changed, and only then", async () => {
    const parsed: string[] = [];
    const { configs } = newStores({
      parseConfig: async (cluster, text) => {
        parsed.push(text);
        return configOf(cluster, text);
      },
    });
    await configs.clusters();
    await putBlob("config", "often.json", "https://a");
    for (const _ of [1, 2, 3]) await configs.load("often");
    await putBlob("config", "often.json", "https://b");
    for (const _ of [1, 2]) await configs.load("often");
    expect(parsed).toEqual(["https://a", "https://b"]);
  });

  test("a file that includes another is read anew each time, since the other may have changed", async () => {
    const { configs } = newStores({
      parseConfig: async (cluster, _text, readInclude) => configOf(cluster, await readInclude("site.txt")),
    });
    await configs.clusters();
    await putBlob("config", "including.json", "the same");
    await putBlob("config", "site.txt", "https://a");
    expect((await configs.load("including"))?.connection.url).toBe("https://a");
    await putBlob("config", "site.txt", "https://b");
    expect((await configs.load("including"))?.connection.url).toBe("https://b");
  });

  test.each(["../plans/hpc/head.json", "a/../../x"])(
    "%j cannot be included: it leads out of the container",
    async (path) => {
      const { configs } = newStores({
        parseConfig: async (cluster, _text, readInclude) => configOf(cluster, await readInclude(path)),
      });
      await configs.clusters();
      await putBlob("config", "escaping.json", path);
      await expect(configs.load("escaping")).rejects.toThrow("outside the container config");
    },
  );

  describe("a broken file that was put there by hand", () => {
    const parseConfig: ParseConfig = async (cluster, text, readInclude) => {
      if (text === "{") throw new ConfigurationError("it", ["broken"]);
      return configOf(cluster, text === "including" ? ((await readInclude("gone.txt")) ?? broken()) : text);
    };
    const broken = () => {
      throw new ConfigurationError("it", ["include: missing"]);
    };
    /** A process that has read nothing yet. */
    const started = (nowSeconds = () => 0) => {
      const { blob, table } = clients;
      const versions = new TableConfigVersionStore(new Table(table("ConfigVersions")));
      const options = { parse: parseConfig, versions, keepsVersions: true, nowSeconds };
      return { versions, configs: new BlobConfigStore(blob, options) };
    };
    const version = (number: number, text: string) => ({
      version: number,
      atSeconds: number,
      by: "ann",
      reason: "a test",
      changes: [],
      text,
    });

    test("leaves the newest usable version in force, also in a process that starts then", async () => {
      const { configs, versions } = started();
      await configs.clusters();
      for (const [index, text] of ["https://a", "https://b"].entries())
        await versions.add("edited", version(index + 1, text));
      await putBlob("config", "edited.json", "{");
      for (const process of [configs, started().configs])
        expect(await process.load("edited")).toMatchObject({
          connection: { url: "https://b" },
          inPlaceOf: "Cannot use it: broken",
        });
    });

    test("is no reason to go back where what it includes is at fault", async () => {
      const { configs, versions } = started();
      await versions.add("including-gone", version(1, "https://a"));
      await versions.add("including-gone", version(2, "including"));
      await putBlob("config", "including-gone.json", "including");
      await expect(configs.load("including-gone")).rejects.toThrow("include: missing");
    });

    test("follows a usable one that was put there by hand, too, once that is a minute old", async () => {
      let nowSeconds = 0;
      const { configs, versions } = started(() => nowSeconds);
      await putBlob("config", "by-hand.json", "https://a");
      await configs.load("by-hand");
      expect(await versions.list("by-hand", 9)).toEqual([]);
      nowSeconds = 61;
      for (const _ of [1, 2]) await configs.load("by-hand");
      const kept = await versions.list("by-hand", 9);
      expect(kept.map(({ by, text }) => [by, text])).toEqual([[null, "https://a"]]);
      await putBlob("config", "by-hand.json", "{");
      expect(await started().configs.load("by-hand")).toMatchObject({
        connection: { url: "https://a" },
        inPlaceOf: "Cannot use it: broken",
      });
    });

    test("leaves the same one in force everywhere: also one that only one process saw, less than a minute ago", async () => {
      let nowSeconds = 100;
      const [seeing, waiting] = [started(() => nowSeconds), started(() => nowSeconds)];
      await seeing.versions.add("hasty", version(1, "https://a"));
      await putBlob("config", "hasty.json", "https://a");
      for (const { configs } of [seeing, waiting]) await configs.load("hasty");
      await putBlob("config", "hasty.json", "https://b");
      nowSeconds = 110;
      await seeing.configs.load("hasty");
      await putBlob("config", "hasty.json", "{");
      nowSeconds = 120;
      const urls = async () => {
        const loaded = await Promise.all([waiting, seeing].map(({ configs }) => configs.load("hasty")));
        return loaded.map((config) => config?.connection.url);
      };
      await urls();
      nowSeconds = 181;
      expect(await urls()).toEqual(["https://b", "https://b"]);
      expect(await started().configs.load("hasty")).toMatchObject({ connection: { url: "https://b" } });
    });
  });

  test("a file whose name no cluster gives is left out, and named once in the log", async () => {
    const warnings: (readonly [string, LogFields | undefined])[] = [];
    const log = {
      info: () => {},
      warn: (event: string, fields?: LogFields) => warnings.push([event, fields]),
      error: () => {},
    };
    const { configs } = newStores({ log });
    await configs.clusters();
    for (const name of ["my other.json", "notes.txt", "folder/x.json"])
      await putBlob("config", name, "https://a");
    for (const _ of [1, 2]) expect(await configs.clusters()).not.toContain("my other");
    expect(warnings).toEqual([
      ["config-file-ignored", { file: "my other.json", expected: "my~20other.json" }],
    ]);
  });
});

describe("what is too much", () => {
  test("a plan with more characters than are kept is refused, and nothing of it is stored", async () => {
    const { blob, table } = clients;
    const plans = new AzurePlanStore(blob, new Table(table("Plans")), { limitCharacters: 1_000 });
    const plan = archivedOf(summaryOf("too-large", "plan-1"));
    expect(await plans.archive(plan)).toEqual({
      outcome: "too-large",
      reason: "the plan takes more than 1000 characters, the most that is archived",
    });
    expect(await plans.load("too-large", "plan-1")).toBeUndefined();
    expect(await plans.list("too-large", 10)).toEqual([]);
  });

  test("parts that have waited for too long go with the next part, of any source", async () => {
    const part = { index: 0, jobs: [], nodes: [] };
    const identity = { cluster: "stale", source: "gone", sequence: 1 };
    await new BlobDemandStore(clients.blob).savePart(identity, part);
    const store = new BlobDemandStore(clients.blob, { keepPartsMs: -60_000 });
    await store.savePart({ ...identity, source: "new" }, part);
    expect(await store.sourcesWithParts("stale")).toEqual(["new"]);
  });
});

describe("BlobDemandStore", () => {
  test("what many jobs have in common is stored once", async () => {
    const { demand } = newStores();
    const job = { constraints: [{ ncpus: 1 }], iterations: 1, nodeCount: 0, colocated: false };
    const jobs = Array.from({ length: 1_000 }, (_, index) => ({
      ...job,
      name: `job-${index}`,
      exclusive: false,
      executingHostnames: [],
      priority: 0,
    }));
    await demand.save(demandOf("packed", "pbs", { jobs }), undefined);
    const blob = clients.blob.getContainerClient("demand").getBlobClient("packed/sources/pbs.json");
    const { contentLength = 0, metadata } = await blob.getProperties();
    expect(contentLength).toBeLessThan(20_000);
    expect(metadata?.recordversion).toBe("1");
  });
});

describe("what was read before", () => {
  test("a snapshot that nobody wrote since is neither transferred nor parsed again; one that somebody wrote is", async () => {
    const [here, elsewhere] = [newStores(), newStores()];
    await elsewhere.snapshots.save("again", snapshotOf("again"));
    const first = await here.snapshots.load("again");
    expect((await here.snapshots.load("again"))?.value.cluster).toBe(first?.value.cluster);
    await elsewhere.snapshots.save("again", snapshotOf("again", startSeconds + 1));
    const second = await here.snapshots.load("again");
    expect(second?.value).toEqual(snapshotOf("again", startSeconds + 1));
    expect(second?.etag).not.toBe(first?.etag);
    await clients.blob.getContainerClient("snapshots").deleteBlob("again.json");
    expect(await here.snapshots.load("again")).toBeUndefined();
  });

  test("of several sources, only the one that somebody wrote is read again", async () => {
    const [here, elsewhere] = [newStores(), newStores()];
    for (const source of ["a", "b"]) await elsewhere.demand.save(demandOf("sources", source), undefined);
    const [a, b] = await here.demand.list("sources");
    const etag = (await elsewhere.demand.load("sources", "b"))?.etag;
    await elsewhere.demand.save(demandOf("sources", "b", { sequence: 2 }), etag);
    const [againA, againB] = await here.demand.list("sources");
    expect(againA?.jobs).toBe(a?.jobs);
    expect(againB?.jobs).not.toBe(b?.jobs);
    expect(againB).toEqual(demandOf("sources", "b", { sequence: 2 }));
  });

  test("no more than twelve MB are kept: what was not used for longest is read again", async () => {
    const { snapshots } = newStores();
    const names = ["many-0", "many-1", "many-2", "many-3"];
    const large = (name: string) => ({ ...snapshotOf(name), setAside: ["x".repeat(3.5 * 1024 * 1024)] });
    for (const name of names) await snapshots.save(name, large(name));
    const read = async (name: string) => (await snapshots.load(name))?.value.cluster;
    // One after the other: the order in which they were used is what counts.
    const first: unknown[] = [];
    for (const name of names.slice(0, 3)) first.push(await read(name));
    expect(await read("many-0")).toBe(first[0]);
    await read("many-3");
    expect(await read("many-0")).toBe(first[0]);
    expect(await read("many-2")).toBe(first[2]);
    const again = await read("many-1");
    expect(again).not.toBe(first[1]);
    expect(again).toEqual(first[1]);
  });

  test("node history that another process writes is told since the mark, however many rows there were", async () => {
    const [here, elsewhere] = [newStores(), newStores()];
    const rows = Array.from({ length: 1_200 }, (_, index) => rowOf(`n-${index}`));
    await elsewhere.history.save("marks", rows);
    const { rows: all, mark } = await here.history.since("marks", undefined);
    expect(all).toHaveLength(1_200);
    await elsewhere.history.save("marks", [rowOf("n-7", { readySeconds: 3 })]);
    const later = await here.history.since("marks", mark);
    expect(later.rows).toContainEqual(rowOf("n-7", { readySeconds: 3 }));
    const ahead = new Date(Date.parse(later.mark ?? "") + 60_000).toISOString();
    expect(await here.history.since("marks", ahead)).toEqual({ rows: [], mark: ahead });
  });
});

describe("BlobDemandUploads", () => {
  test.each([
    "../config/secret.json",
    "a/../../config/secret.json",
    "./x",
    "a//b",
    "/x",
    "..\\config",
    "%2e%2E/x",
    "",
  ])("%j is refused: the name of an upload cannot lead out of the container", async (blob) => {
    const { uploads } = newStores();
    await putBlob("config", "secret.json", "secret");
    expect(await uploads.read(blob)).toEqual({ refused: expect.stringContaining("expected a name without") });
  });
});

describe("retention", () => {
  const later = startSeconds + 31 * 86_400;

  test("operations, plans and rejections older than 30 days go with a later write", async () => {
    const old = newStores();
    await old.operations.save(operationOf("r", "old", { state: "failed" }), undefined);
    await old.plans.archive(archivedOf(summaryOf("r", "old")));
    await old.rejections.add(rejectionOf("old", { cluster: "r" }));
    const stores = newStores();
    const times = { createdAtSeconds: later, updatedAtSeconds: later };
    await stores.operations.save(operationOf("r", "new", times), undefined);
    await stores.plans.archive(archivedOf(summaryOf("r", "new", { atSeconds: later })));
    await stores.rejections.add(rejectionOf("new", { cluster: "r", receivedAtSeconds: later }));
    expect((await stores.operations.recent("r", 10)).map(({ actionId }) => actionId)).toEqual(["new"]);
    expect(await stores.operations.load("r", "old")).toBeUndefined();
    expect((await stores.plans.list("r", 10)).map(({ planId }) => planId)).toEqual(["new"]);
    expect(await stores.plans.load("r", "old")).toBeUndefined();
    expect((await stores.rejections.list("r", 10)).map(({ rejectionId }) => rejectionId)).toEqual(["new"]);
  });
});

describe("errors of the account", () => {
  const call = (stores: Stores) => [
    stores.snapshots.load("c"),
    stores.demand.list("c"),
    stores.history.list("c"),
    stores.operations.save(operationOf("c", "a"), undefined),
    stores.uploads.read("x"),
  ];

  test("an account that does not answer is an UpstreamError worth another try, which names the call", async () => {
    const text = account.connectionString.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:1");
    const stores = newStores(connectStorage({ connectionString: text }, { tries: 1 }));
    for (const error of await errorsOf(call(stores))) {
      expect(error).toBeInstanceOf(UpstreamError);
      expect(error).toMatchObject({
        status: undefined,
        retryable: true,
        message: expect.stringMatching(/^Cannot (read|list|save) .+: no answer/),
      });
    }
  });

  test("a wrong key is an UpstreamError for good, without the key and what was signed", async () => {
    const key = Buffer.from("not the key").toString("base64");
    const connectionString = account.connectionString.replace(/AccountKey=[^;]+/, `AccountKey=${key}`);
    for (const error of await errorsOf(call(newStores(connectStorage({ connectionString }))))) {
      expect(error).toMatchObject({ kind: "upstream", status: 403, retryable: false });
      expect(String(error)).not.toMatch(/bm90IHRoZSBrZXk|SharedKey |string to sign/i);
    }
  });

  test("an action too large for an entity is refused before anything is sent", async () => {
    const { operations } = newStores();
    const action = actionOf("c", "huge", "x".repeat(500_000));
    const saved = operations.save(operationOf("c", "huge", { action }), undefined);
    await expect(saved).rejects.toThrow(/Cannot store row "op:huge": \d+ characters/);
    expect(await operations.open("c")).toEqual([]);
  });

  test("a container or table that was deleted meanwhile is made again", async () => {
    const stores = newStores();
    await stores.snapshots.save("c", snapshotOf("c"));
    await stores.operations.save(operationOf("gone", "a"), undefined);
    await clients.blob.getContainerClient("snapshots").delete();
    await clients.table("Operations").deleteTable();
    await stores.snapshots.save("c", snapshotOf("c"));
    await stores.operations.save(operationOf("gone", "a"), undefined);
    expect(await stores.operations.open("gone")).toHaveLength(1);
    expect((await stores.snapshots.load("c"))?.value).toEqual(snapshotOf("c"));
  });
});

describe("connectStorage", () => {
  const credential = { getToken: async () => ({ token: "t", expiresOnTimestamp: Date.now() + 3_600_000 }) };

  test("an account name gives the endpoints of the public cloud", () => {
    const { blob, queue, table } = connectStorage({ accountName: "acc", credential });
    expect(blob.url).toMatch(/^https:\/\/acc\.blob\.core\.windows\.net\/?$/);
    expect(queue.url).toMatch(/^https:\/\/acc\.queue\.core\.windows\.net\/?$/);
    expect(table("T").url).toMatch(/^https:\/\/acc\.table\.core\.windows\.net\/?$/);
  });

  test("service URIs are taken as they are", () => {
    const { blob, queue, table } = connectStorage({
      blobServiceUri: "https://b.example",
      queueServiceUri: "https://q.example",
      tableServiceUri: "https://t.example",
      credential,
    });
    expect([blob.url, queue.url, table("T").url].map((url) => new URL(url).host)).toEqual([
      "b.example",
      "q.example",
      "t.example",
    ]);
  });

  test("the short form for a local Azurite is understood", () => {
    const { blob, table } = connectStorage({ connectionString: "UseDevelopmentStorage=true" });
    expect(blob.url).toContain("127.0.0.1:10000");
    expect(table("T").url).toContain("127.0.0.1:10002");
  });
});

function newStores(options: Partial<AzureStoreOptions> = {}): Stores {
  const { blob, table } = clients;
  return createAzureStores({
    blob,
    table,
    parseConfig: async (cluster, text) => configOf(cluster, text),
    ...options,
  });
}

async function putBlob(container: string, name: string, text: string): Promise<void> {
  const client = BlobServiceClient.fromConnectionString(account.connectionString).getContainerClient(
    container,
  );
  await client.createIfNotExists();
  await client.getBlockBlobClient(name).upload(text, Buffer.byteLength(text));
}

async function errorsOf(calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => (one.status === "rejected" ? one.reason : "no error"));
}
