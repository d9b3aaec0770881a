import { describe, expect, test } from "vitest";
import { pseudonymIn } from "../../../../shared/cycle/demand/hide-names.ts";
import { refuseDemand } from "../../../../shared/cycle/index.ts";
import type { Ports, PseudonymSettings } from "../../../../shared/ports/index.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

const all: PseudonymSettings = { keySetting: "PSEUDONYM_KEY", fields: ["user", "account", "jobName"] };
const named = {
  name: "1202",
  user: "ada",
  account: "geodesy",
  jobName: "ada-thesis",
  queue: "long",
  constraints: [{ ncpus: 1 }],
};
const names = /ada|geodesy|thesis/;

function hiding(pseudonyms: PseudonymSettings | undefined): World {
  const world = createWorld();
  if (pseudonyms !== undefined) world.configure({ pseudonyms });
  return world;
}

async function storedJob(world: World) {
  return (await world.ports.demand.load(cluster, "celery"))?.value.jobs[0];
}

/** Everything that is given to a port, as text. */
function recording(ports: World["ports"], written: string[]): World["ports"] {
  const entries = Object.entries(ports).map(([name, port]) => [name, recordingPort(port, written)]);
  return { ...ports, ...Object.fromEntries(entries), ids: ports.ids };
}

function recordingPort(port: unknown, written: string[]): unknown {
  if (typeof port !== "object" || port === null) return port;
  return new Proxy(port, {
    get: (target, method) => {
      const value: unknown = Reflect.get(target, method, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        written.push(JSON.stringify(args));
        return value.apply(target, args);
      };
    },
  });
}

describe("names of people", () => {
  test("are stored as they are when nothing is configured", async () => {
    const world = hiding(undefined);
    await world.post([named]);
    expect(await storedJob(world)).toMatchObject({ user: "ada", account: "geodesy", jobName: "ada-thesis" });
  });

  test("are stored as keyed hashes, the same for the same name, another for a user than for an account", async () => {
    const world = hiding(all);
    await world.post([named, { ...named, name: "1203", account: "ada" }]);
    const jobs = (await world.ports.demand.load(cluster, "celery"))?.value.jobs ?? [];
    const [first, second] = jobs;
    expect(first?.user).toMatch(/^~[0-9a-f]{20}$/);
    expect(second?.user).toBe(first?.user);
    expect(second?.account).not.toBe(first?.user);
    expect(first).toMatchObject({ name: "1202", queue: "long" });
  });

  test("of other fields than those that are configured stay", async () => {
    const world = hiding({ ...all, fields: ["user"] });
    await world.post([named]);
    expect(await storedJob(world)).toMatchObject({ account: "geodesy", jobName: "ada-thesis" });
    expect((await storedJob(world))?.user).not.toBe("ada");
  });

  test("what a configuration names is found again by its hash", async () => {
    const world = hiding(all);
    await world.post([named]);
    const account = pseudonymIn(world.ports, all, { field: "account", name: "geodesy" });
    expect((await storedJob(world))?.account).toBe(account);
  });

  test("are left out without the key, which is logged", async () => {
    const world = hiding({ ...all, keySetting: "PSEUDONYM_KEY_MISSING" });
    await world.post([named]);
    expect(await storedJob(world)).toMatchObject({ name: "1202", queue: "long" });
    expect(JSON.stringify(await storedJob(world))).not.toMatch(names);
    expect(world.log.join("\n")).toContain("names-left-out");
  });

  test("are left out while the configuration cannot be read: it might hide them", async () => {
    const world = createWorld();
    world.ports.configs.delete(cluster);
    world.ports.configs.putBroken(cluster, ["pseudonyms: mistake"]);
    await world.post([named]);
    expect(JSON.stringify(await storedJob(world))).not.toMatch(names);
  });
});

describe("nothing that is stored, sent or logged holds a name", () => {
  const messages: readonly (readonly [string, Record<string, unknown>])[] = [
    ["of a job that runs", { jobs: [{ ...named, executingHostnames: ["ip-0A000001"] }] }],
    ["in other spellings", { jobs: [{ name: "1", "job-name": "ada-thesis", job_name: "ada" }] }],
    ["that is no text", { jobs: [{ ...named, user: { of: "ada" }, account: ["geodesy"] }] }],
    ["that is too long", { jobs: [{ ...named, user: "ada".repeat(200) }] }],
    ["of a job that is set aside", { jobs: [{ ...named, nodeCount: "many" }] }],
    ["of who drained a host", { nodes: [{ hostname: "ip-0A000001", state: "drained", stateBy: "ada" }] }],
    ["in a part", { part: { index: 0, count: 2 }, jobs: [named] }],
    ["in a delta that comes early", { kind: "delta", sequence: 9, jobs: [named] }],
    ["in a message that is refused", { sequence: "first", jobs: [named] }],
    ["in a list of another name", { version: 7, jbos: [named] }],
  ];

  test.each(messages)("%s", async (_, fields) => {
    const world = hiding(all);
    const written: string[] = [];
    Object.assign(world.ports, recording(world.ports, written));
    await world.post([], fields);
    await world.snapshot();
    expect(written.join("\n")).not.toMatch(names);
    expect(world.log.join("\n")).not.toMatch(names);
    expect(written.length).toBeGreaterThan(5);
  });

  test("in an upload that a message claims", async () => {
    const world = hiding(all);
    world.ports.uploads.put("big", JSON.stringify({ jobs: [named] }));
    await world.post([], { jobs: undefined, blob: "big" });
    expect((await storedJob(world))?.user).toMatch(/^~/);
  });

  test("in a message that failed in every attempt", async () => {
    const world = hiding(all);
    const body = { version: 1, kind: "snapshot", cluster, source: "celery", sequence: 1, jobs: [named] };
    const raw = { body, messageId: "m-1", queue: "job-demand" };
    await refuseDemand(world.ports satisfies Ports, raw, { kind: "poison", problems: ["message: failed"] });
    const [rejection] = await world.ports.rejections.list(cluster, 1);
    const kept = await world.ports.rejections.load(cluster, rejection?.rejectionId ?? "");
    expect(kept?.body).toContain("1202");
    expect(JSON.stringify(kept)).not.toMatch(names);
  });

  test("and a message that is replayed keeps its hashes", async () => {
    const world = hiding(all);
    await world.post([named]);
    const hashed = await storedJob(world);
    await world.post([{ ...named, ...hashed }]);
    expect(await storedJob(world)).toEqual(hashed);
  });
});
