import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decodeQueueText } from "../../../shared/messages/index.ts";
import { handlers } from "../../functions/api/handlers.ts";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";

/** Commands of ours that the lines of `ccscale doctor` name: each is run as it is printed, with what it leaves open filled in. */
let server: ApiServer;
const folder = ownFolder();

beforeAll(async () => {
  server = await serveApi(handlers);
});
afterAll(async () => {
  await server?.stop();
});

const usable = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };
const job = { name: "1", constraints: { ncpus: 4 } };

beforeEach(async () => {
  const there = clusterOf({ nodeArrays: [nodeArrayOf({ ephemeralOsDisk: true })] });
  served.world = createWorld(new FakeCycleCloud(there));
  operatorsOf(served.world).configChanges = "all";
  await configure({});
  await served.world.post([job]);
  await beat();
});

async function configure(changed: object): Promise<void> {
  operatorsOf(served.world).configFiles.put(cluster, JSON.stringify({ ...usable, ...changed }));
}

/** What the service does by itself within a minute: reads the stored configuration and what was posted, takes a snapshot, plans. */
async function beat(): Promise<void> {
  const { world } = served;
  const { configFiles, demandQueue } = operatorsOf(world);
  const text = (await configFiles.read(cluster))?.text ?? "";
  const checked = await configFiles.check(cluster, JSON.parse(text));
  if (checked.ok) world.ports.configs.put(checked.config);
  else world.ports.configs.putBroken(cluster, checked.problems);
  for (let text = demandQueue.take(); text !== undefined; text = demandQueue.take()) {
    await world.receive(decodeQueueText(text));
    demandQueue.done();
  }
  world.advance(60);
  await world.round();
}

async function linesOf(
  check: string,
): Promise<readonly { state: string; text: string; next: string | null }[]> {
  const { stdout } = await ccscale(["doctor", "--url", server.url, "--cluster", cluster, "--format", "json"]);
  const { checks } = JSON.parse(stdout) as {
    checks: { check: string; state: string; text: string; next: string | null }[];
  };
  return checks.filter((each) => each.check === check);
}

interface Fix {
  readonly check: string;
  /** Puts the world into the bad state, without a beat. */
  break(world: World): Promise<unknown> | unknown;
  readonly text: RegExp;
  /** What the operator puts right beside the command, or to know what the command leaves open. */
  readonly fill?: (world: World) => Promise<Readonly<Record<string, string>>>;
  /** Its state at the end; ok when left out. */
  readonly after?: "notice";
  /** Further options, so that nobody is asked. */
  readonly options?: readonly string[];
}

const file = async (json: object): Promise<string> => {
  const path = folder("file.json");
  await writeFile(path, JSON.stringify(json));
  return path;
};

const fixes: Readonly<Record<string, Fix>> = {
  "a configuration that cannot be used": {
    check: "configuration",
    break: () => configure({ idle_timeout: "soon" }),
    text: /idle_timeout/,
    fill: async () => ({ FILE: await file(usable) }),
    options: ["--yes"],
  },
  "a certificate that nobody verifies": {
    check: "configuration",
    break: () => configure({ verify_certificates: false }),
    text: /is not verified/,
    options: ["--yes"],
  },
  "a setting of a node array that is not there": {
    check: "configuration",
    break: () => configure({ idle_timeout: { htcc: 60 } }),
    text: /no node array "htcc"; did you mean "htc"/,
    fill: async () => ({ FILE: await file({ ...usable, idle_timeout: { htc: 60 } }) }),
    options: ["--yes"],
  },
  "a node array whose nodes cannot be deallocated": {
    check: "configuration",
    break: () => configure({ nodearrays: { htc: { deallocate: { most: 4 } } } }),
    text: /Idle ones are deleted/,
    fill: async () => ({ NAME: "htc" }),
    options: ["--yes"],
  },
  "a login that was refused": {
    check: "login",
    break: ({ cycleCloud }) => {
      cycleCloud.isLoginRefused = true;
    },
    text: /refused the login/,
    fill: async ({ cycleCloud }) => {
      cycleCloud.isLoginRefused = false;
      return { WORDS: "unlocked" };
    },
  },
  "a cluster that was paused": {
    check: "scaling",
    break: () => ccscale(["pause", "--reason", "quota talks", "--url", server.url, "--cluster", cluster]),
    text: /^Paused by/,
    fill: async () => ({ WORDS: "done" }),
  },
  "a cluster that is read-only": {
    check: "scaling",
    break: () => configure({ read_only: true }),
    text: /read-only/,
    options: ["--yes"],
  },
  "a source that fell silent": {
    check: "demand",
    break: (world) => world.advance(700),
    text: /^Source "celery" with 1 job is silent/,
    // Nobody posts now, which is no failure.
    after: "notice",
  },
  "a message that was refused": {
    check: "rejects",
    break: ({ receive }) =>
      receive({
        version: 1,
        kind: "snapshot",
        cluster,
        source: "pbs",
        sequence: 1,
        sentAt: "today",
        jobs: [],
      }),
    text: /was refused or given up/,
    fill: async ({ ports, now }) => {
      const [rejection] = await ports.rejections.list(cluster, 1);
      const sentAt = new Date(now() * 1000).toISOString();
      const message = { version: 1, kind: "snapshot", cluster, source: "pbs", sequence: 1, sentAt, jobs: [] };
      return { ID: rejection?.rejectionId ?? "", FILE: await file(message) };
    },
    options: ["--yes"],
  },
};

describe("the command that a line of ccscale doctor names puts it right", () => {
  test.each(Object.entries(fixes))(
    "%s",
    async (_, { check, break: broken, text, fill, options = [], after = "ok" }) => {
      const states = async () => (await linesOf(check)).map(({ state }) => state);
      expect(await states()).toEqual(["ok"]);

      await broken(served.world);
      await beat();
      const line = (await linesOf(check)).find((each) => text.test(each.text));
      expect(line?.state).toMatch(/^(failed|notice)$/);
      // The last one that changes anything: `list` and `history` only show.
      const named = [...(line?.next ?? "").matchAll(/`ccscale ([^`]+)`/g)].map(([, argv = ""]) => argv);
      const argv = named.findLast((each) => !/ (list|history)$/.test(each));
      expect(argv).toBeDefined();

      const filled = (await fill?.(served.world)) ?? {};
      const words = (argv ?? "")
        .split(" ")
        .map((word) => word.replace(/\b[A-Z]+\b/, (name) => filled[name] ?? name));
      const at = ["--url", server.url, "--cluster", cluster];
      expect(await ccscale([...words, ...options, ...at])).toMatchObject({ code: 0, stderr: "" });
      await beat();
      expect(await states()).toEqual([after]);
    },
  );
});
