import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { actionBody } from "../../shared/api/index.ts";

const script = join(import.meta.dirname, "../../clients/scheduled-events/watch_scheduled_events.py");

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

let folder: string;
let server: Server;
let url: string;
/** What Azure announces now. */
let events: readonly object[];
/** How many looks there were. */
let looks: number;
let posts: Asked[];
/** Answers of the service, first to last; 200 after them. */
let refusals: number[];
let watcher: ChildProcess | undefined;
let printed: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "scheduled-events-"));
  events = [];
  looks = 0;
  posts = [];
  refusals = [];
  printed = "";
  server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    let text = "";
    for await (const chunk of request) text += chunk;
    if (path.startsWith("/name")) return void response.end("vm-7\n");
    if (method === "GET") {
      looks += 1;
      return void response.end(JSON.stringify({ DocumentIncarnation: looks, Events: events }));
    }
    posts.push({ method, path, headers, body: JSON.parse(text) });
    response.writeHead(path.startsWith("/api") ? (refusals.shift() ?? 200) : 200).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  if (watcher?.exitCode === null) {
    const ended = new Promise((done) => watcher?.once("exit", done));
    watcher.kill("SIGTERM");
    await ended;
  }
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** A program of a scheduler that notes its arguments, and prints what the file of its name holds. */
async function program(name: string, prints = ""): Promise<void> {
  await writeFile(join(folder, `${name}.prints`), prints);
  const text = `#!/bin/sh\nprintf '%s' "${name}" >>${folder}/calls\nfor each in "$@"; do printf ' %s' "$each" >>${folder}/calls; done\necho >>${folder}/calls\ncat ${folder}/${name}.prints\n`;
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), 0o755);
}
/** Commands that change something, each once a line. */
const changes = async () =>
  (await readFile(join(folder, "calls"), "utf8").catch(() => ""))
    .split("\n")
    .filter((line) => line !== "" && !/^(squeue|qstat|pbsnodes -v)/.test(line));

function watch(settings: Readonly<Record<string, string>>): void {
  watcher = spawn("python3", [script], {
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      NODE_NAME: "htc-7",
      RESOURCE: "vm-7",
      EVENTS_URL: `${url}/events`,
      POLL_SECONDS: "0.05",
      ...settings,
    },
  });
  watcher.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
}
const event = (EventType: string, given: object = {}) => ({
  EventId: `id-${EventType}`,
  EventType,
  EventStatus: "Scheduled",
  ResourceType: "VirtualMachine",
  Resources: ["vm-3", "vm-7"],
  NotBefore: "Wed, 25 Nov 2026 22:00:30 GMT",
  ...given,
});
/** Until the watcher has looked twice more: what it had to do after the first of them it has done. */
async function moreLooks(): Promise<void> {
  const before = looks;
  await expect.poll(() => looks).toBeGreaterThan(before + 2);
}

describe("a node with Slurm", () => {
  beforeEach(async () => {
    await program("scontrol");
    await program("squeue", "12\n13\n");
  });

  test.each(["Preempt", "Terminate", "Redeploy", "Reboot"])(
    "%s: takes no more jobs, and those that run start again at once, once",
    async (kind) => {
      watch({ SCHEDULER: "slurm" });
      await moreLooks();
      expect(await changes()).toEqual([]);
      events = [event(kind)];
      await moreLooks();
      await moreLooks();
      expect(await changes()).toEqual([
        `scontrol update NodeName=htc-7 State=DRAIN Reason=azure ${kind} Wed, 25 Nov 2026 22:00:30 GMT`,
        "scontrol requeue 12",
        "scontrol requeue 13",
      ]);
      // The one has ended here, and waits for its time; the other has not ended yet.
      await writeFile(join(folder, "squeue.prints"), "12 BeginTime\n13 None\n");
      await moreLooks();
      expect((await changes()).slice(3)).toEqual(["scontrol update JobId=12 StartTime=now"]);
    },
  );

  test("Azure may begin when no job is left, and not before; an eviction is never acknowledged", async () => {
    events = [event("Redeploy"), event("Preempt")];
    watch({ SCHEDULER: "slurm" });
    await moreLooks();
    expect(posts).toEqual([]);
    await writeFile(join(folder, "squeue.prints"), "");
    await expect.poll(() => posts).toHaveLength(1);
    await moreLooks();
    expect(posts).toMatchObject([
      {
        path: "/events",
        headers: { metadata: "true" },
        body: { StartRequests: [{ EventId: "id-Redeploy" }] },
      },
    ]);
  });

  test("a pause only keeps new jobs away; when it is over the node takes jobs again", async () => {
    events = [event("Freeze")];
    watch({ SCHEDULER: "slurm", ACKNOWLEDGE: "no" });
    await moreLooks();
    events = [event("Freeze", { EventStatus: "Started" })];
    await moreLooks();
    expect(await changes()).toEqual([expect.stringContaining("State=DRAIN Reason=azure Freeze")]);
    events = [];
    await moreLooks();
    expect((await changes()).slice(1)).toEqual(["scontrol update NodeName=htc-7 State=UNDRAIN"]);
    expect(posts).toEqual([]);
  });

  test("events of other machines, of other kinds, and those that are over or to be ignored change nothing", async () => {
    events = [
      event("Preempt", { Resources: ["vm-3"] }),
      event("Party"),
      event("Redeploy", { EventStatus: "Completed" }),
      event("Reboot"),
    ];
    watch({ SCHEDULER: "slurm", ON_REBOOT: "ignore" });
    await moreLooks();
    expect(await changes()).toEqual([]);
    expect(posts).toEqual([]);
  });

  test("the service is told with the node's name and the reason, again if it refused; of a pause it is not", async () => {
    refusals = [503, 503];
    events = [event("Preempt"), event("Freeze")];
    watch({ SCHEDULER: "slurm", SERVICE_URL: `${url}/api/clusters/hpc/actions`, SERVICE_KEY: "f-key" });
    await expect.poll(() => posts).toHaveLength(3);
    await moreLooks();
    expect(posts).toHaveLength(3);
    expect(posts[2]).toMatchObject({
      path: "/api/clusters/hpc/actions",
      headers: { "x-functions-key": "f-key" },
      body: { kind: "drain", nodes: { names: ["htc-7"] }, by: "scheduled-events", force: true },
    });
    // The service can read it.
    expect(actionBody.safeParse(posts[2]?.body).success).toBe(true);
    expect(printed).not.toContain("f-key");
  });

  test("a scheduler that is away is told at a later look", async () => {
    await rm(join(folder, "squeue"));
    events = [event("Preempt")];
    watch({ SCHEDULER: "slurm" });
    await moreLooks();
    expect(await changes()).not.toContain("scontrol requeue 12");
    await program("squeue", "12\n");
    await expect.poll(changes).toContain("scontrol requeue 12");
    expect(printed).toContain('"step-failed"');
  });
});

test.each([
  [
    "pbs",
    ["pbsnodes -o -C azure Preempt Wed, 25 Nov 2026 22:00:30 GMT htc-7", "qrerun 4.head", "qrerun 5.head"],
  ],
  ["gridengine", ["qmod -d *@htc-7", "qmod -rj 4", "qmod -rj 5"]],
  ["none", []],
])("a node with %s", async (scheduler, expected) => {
  await program("pbsnodes", "htc-7\n     state = offline\n     jobs = 5.head/1, 4.head/0, 4.head/2\n");
  await program("qstat", "job-ID  prior name\n------\n      4 0.5 a b r\n      5 0.5 a b r\n");
  for (const name of ["qrerun", "qmod"]) await program(name);
  events = [event("Preempt")];
  watch({ SCHEDULER: scheduler });
  await expect.poll(() => printed).toContain('"cleared"');
  await moreLooks();
  expect(await changes()).toEqual(expected);
});

test("settings that are wrong are all named, and it ends", async () => {
  watch({ SCHEDULER: "lsf", ON_FREEZE: "sleep", POLL_SECONDS: "0", SERVICE_URL: "https://x" });
  await expect.poll(() => watcher?.exitCode).toBe(1);
  expect(printed.match(/"problem": "(\w+)/g)).toEqual(
    ["SCHEDULER", "ON_FREEZE", "POLL_SECONDS", "SERVICE_KEY"].map((name) => `"problem": "${name}`),
  );
});
