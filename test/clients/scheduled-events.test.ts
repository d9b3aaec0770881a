import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { leavingBody } from "../../shared/api/index.ts";
import { ownFolder } from "../support/own-folder.ts";

const script = join(import.meta.dirname, "../../clients/scheduled-events/watch_scheduled_events.py");
const host = hostname().split(".")[0];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const folder = ownFolder(afterEach);
let server: Server;
let url: string;
/** What Azure announces now. */
let events: readonly unknown[];
/** In place of that. */
let broken: ((response: ServerResponse) => void) | undefined;
/** How many looks there were. */
let looks: number;
let posts: Asked[];
/** Answers of the service, first to last; 200 after them. */
let refusals: number[];
/** The service takes the message, and never answers. */
let isSilent: boolean;
let watcher: ChildProcess | undefined;
let printed: string;

beforeEach(async () => {
  events = [];
  broken = undefined;
  looks = 0;
  posts = [];
  refusals = [];
  isSilent = false;
  printed = "";
  server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    let text = "";
    for await (const chunk of request) text += chunk;
    if (method === "GET") {
      looks += 1;
      if (broken !== undefined) return broken(response);
      return void response.end(JSON.stringify({ DocumentIncarnation: looks, Events: events }));
    }
    posts.push({ method, path, headers, body: JSON.parse(text) });
    if (isSilent && path.startsWith("/api")) return;
    const status = path.startsWith("/api") ? (refusals.shift() ?? 200) : 200;
    response.writeHead(status, status === 302 ? { location: `${url}/elsewhere` } : {}).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

async function stop(by: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (watcher === undefined || watcher.exitCode !== null || watcher.signalCode !== null) return;
  const ended = new Promise((done) => watcher?.once("exit", done));
  watcher.kill(by);
  await ended;
}
afterEach(async () => {
  await stop();
  server.closeAllConnections();
  server.close();
});

/** A program of a scheduler that notes its arguments, and then runs `does`; `$here` is the folder of its state. */
async function program(name: string, does = ""): Promise<void> {
  const text = `#!/bin/bash\nhere=${folder()}\necho "${name} $*" >>$here/calls\n${does}\n`;
  await writeFile(folder(name), text);
  await chmod(folder(name), 0o755);
}
const put = (name: string, text: string) => writeFile(folder(name), text);
const textOf = (name: string) => readFile(folder(name), "utf8").catch(() => "");
/** Commands that change something, each once a line. */
const changes = async () =>
  (await textOf("calls"))
    .split("\n")
    .filter((line) => line !== "" && !/^(squeue|qstat|qselect|pbsnodes -H|scontrol show|jetpack)/.test(line));

/** Slurm with one node, htc-7, whose reason is in the file `reason`; its state is DRAIN while there is one. */
async function startSlurm(): Promise<void> {
  await program(
    "scontrol",
    `case "$*" in
"show node htc-7")
  if [ -f $here/reason ]; then state=IDLE+CLOUD+DRAIN; else state=IDLE+CLOUD; fi
  if [ -f $here/down ]; then state=DOWN+CLOUD+DRAIN; fi
  echo "NodeName=htc-7 Arch=x86_64"; echo "   State=$state ThreadsPerCore=1"
  echo "   BootTime=$(cat $here/boot-time 2>/dev/null || date +%Y-%m-%dT%H:%M:%S) LastBusyTime=None"
  if [ -f $here/reason ]; then echo "   Reason=$(cat $here/reason) [root@2026-11-25T22:00:00]"; fi ;;
"show node "*) echo "Node $3 not found"; exit 1 ;;
*State=DRAIN*) printf %s "\${*#*Reason=}" >$here/reason; for word in "$@"; do case $word in Reason=*) printf %s "\${word#Reason=}" >$here/reason ;; esac; done ;;
*State=UNDRAIN*|*State=RESUME*) rm -f $here/reason $here/down ;;
esac`,
  );
  await program(
    "squeue",
    'case "$*" in *--jobs=*) [ ! -f $here/pending ] || cat $here/pending ;; *) cat $here/running ;; esac',
  );
  await put("running", "12\n13\n");
}

/** What the environment of the watcher says, beside what every test has. */
function watch(settings: Readonly<Record<string, string>>): void {
  watcher = spawn(process.env.PYTHON ?? "python3", [script], {
    env: {
      PATH: `${folder()}:${process.env.PATH}`,
      RESOURCE: "vm-7",
      EVENTS_URL: `${url}/events`,
      POLL_SECONDS: "0.05",
      STATE_DIRECTORY: folder("state"),
      ...settings,
    },
  });
  watcher.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  watcher.stderr?.on("data", (chunk) => {
    printed += chunk;
  });
}
const slurm = { SCHEDULER: "slurm", SCHEDULER_NODE: "htc-7" };
const event = (EventType: string, given: object = {}) => ({
  EventId: `id-${EventType}`,
  EventType,
  EventStatus: "Scheduled",
  ResourceType: "VirtualMachine",
  Resources: ["vm-7"],
  NotBefore: "Wed, 25 Nov 2026 22:00:30 GMT",
  ...given,
});
const reasonFor = (kind: string) => `azure ${kind} Wed, 25 Nov 2026 22:00:30 GMT`;
/** Until the watcher has looked twice more: what it had to do after the first of them it has done. */
async function moreLooks(): Promise<void> {
  const before = looks;
  await expect.poll(() => looks).toBeGreaterThan(before + 2);
}

describe("a node with Slurm", () => {
  beforeEach(startSlurm);

  test.each(["Preempt", "Terminate", "Redeploy", "Reboot"])(
    "%s: takes no more jobs, and those that run start again at once, once",
    async (kind) => {
      watch(slurm);
      await moreLooks();
      expect(await changes()).toEqual([]);
      events = [event(kind)];
      await moreLooks();
      await moreLooks();
      expect(await changes()).toEqual([
        `scontrol update NodeName=htc-7 State=DRAIN Reason=${reasonFor(kind)}`,
        "scontrol requeue 12",
        "scontrol requeue 13",
      ]);
      // The one has ended here, and waits for its time; the other has not ended yet.
      await put("pending", "12 BeginTime\n13 None\n");
      await moreLooks();
      expect((await changes()).slice(3)).toEqual(["scontrol update JobId=12 StartTime=now"]);
    },
  );

  test("Azure may begin when no job is left, and not before; an eviction is never acknowledged", async () => {
    events = [event("Redeploy"), event("Preempt")];
    watch(slurm);
    await moreLooks();
    expect(posts).toEqual([]);
    await put("running", "");
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

  test("an event that is also about other machines is left to Azure's time, which the log says", async () => {
    await put("running", "");
    events = [event("Redeploy", { Resources: ["vm-7", "vm-8"] })];
    watch(slurm);
    await expect.poll(() => printed).toContain('"cleared"');
    await moreLooks();
    expect(posts).toEqual([]);
    expect(printed).toContain("shared with 1 other machines");
    expect(printed.match(/not-acknowledged/g)).toHaveLength(1);
  });

  test("a pause only keeps new jobs away; when it is over the node takes jobs again", async () => {
    events = [event("Freeze")];
    watch({ ...slurm, ACKNOWLEDGE: "no" });
    await moreLooks();
    events = [event("Freeze", { EventStatus: "Started" })];
    await moreLooks();
    expect(await changes()).toEqual([expect.stringContaining("State=DRAIN Reason=azure Freeze")]);
    events = [];
    await expect
      .poll(async () => (await changes()).slice(1))
      .toEqual(["scontrol update NodeName=htc-7 State=UNDRAIN"]);
    await moreLooks();
    expect(await changes()).toHaveLength(2);
    expect(posts).toEqual([]);
  });

  test("events of other machines, of other kinds, and those that are over or to be ignored change nothing", async () => {
    events = [
      event("Preempt", { Resources: ["vm-3"] }),
      event("Party"),
      event("Redeploy", { EventStatus: "Completed" }),
      event("Reboot"),
    ];
    watch({ ...slurm, ON_REBOOT: "ignore" });
    await moreLooks();
    expect(await changes()).toEqual([]);
    expect(posts).toEqual([]);
  });

  test("a scheduler that is away is told at a later look, and its failure is one line of the log", async () => {
    const [squeue, away] = [folder("squeue"), folder("away")];
    await rename(squeue, away);
    events = [event("Preempt")];
    watch(slurm);
    await moreLooks();
    await moreLooks();
    expect(await changes()).not.toContain("scontrol requeue 12");
    // Whole at once: a program that is being written fails in another way, which is a line of its own.
    await rename(away, squeue);
    await expect.poll(changes).toContain("scontrol requeue 12");
    expect(printed.match(/"step-failed"/g)).toHaveLength(1);
  });

  test("an event whose requeue fails at each look is noted once", async () => {
    await rm(folder("squeue"));
    events = [event("Preempt")];
    watch(slurm);
    await moreLooks();
    await moreLooks();
    expect(JSON.parse(await textOf("state/drained.json"))).toMatchObject({ events: ["id-Preempt"] });
  });

  describe("whose drain it is", () => {
    test("a drain that somebody else set stays as it is, before and after; jobs start again elsewhere", async () => {
      await put("reason", "bad disk");
      events = [event("Reboot")];
      watch(slurm);
      await expect.poll(changes).toContain("scontrol requeue 13");
      events = [];
      await moreLooks();
      expect((await changes()).filter((line) => line.includes("update"))).toEqual([]);
      expect(await textOf("reason")).toBe("bad disk");
    });

    test("a drain that got another reason meanwhile is somebody else's, and stays", async () => {
      events = [event("Freeze")];
      watch(slurm);
      await expect.poll(() => textOf("reason")).toBe(reasonFor("Freeze"));
      await expect.poll(() => printed).toContain('"cleared"');
      await put("reason", "fan is loud");
      events = [];
      await expect.poll(() => printed).toContain('"drain-left"');
      expect(await textOf("reason")).toBe("fan is loud");
      expect(await textOf("state/drained.json")).toBe("");
    });

    /** As the machine comes back: the watcher starts anew, and what it wrote says another boot. */
    async function restartMachine(): Promise<void> {
      await stop();
      const kept: object = JSON.parse(await textOf("state/drained.json"));
      await put("state/drained.json", JSON.stringify({ ...kept, bootId: "another" }));
      await put("down", "");
    }

    test("a watcher that is ended before all jobs are requeued goes on with the rest when it starts again", async () => {
      const scontrol = await textOf("scontrol");
      await put(
        "scontrol",
        scontrol.replace('case "$*" in', '[ "$*" != "requeue 13" ] || sleep 30\ncase "$*" in'),
      );
      events = [event("Preempt")];
      watch(slurm);
      await expect.poll(changes).toContain("scontrol requeue 13");
      await stop();
      await put("scontrol", scontrol);
      await put("running", "13\n");
      watch(slurm);
      await expect.poll(() => printed).toContain('"cleared"');
      expect((await changes()).slice(2)).toEqual(["scontrol requeue 13", "scontrol requeue 13"]);
      events = [];
      await expect.poll(() => printed).toContain('"back"');
    });

    test.each(["Reboot", "Redeploy"])(
      "after a %s the watcher lifts the drain that it set before, as soon as Slurm has seen the machine",
      async (kind) => {
        events = [event(kind)];
        watch({ ...slurm, ACKNOWLEDGE: "no" });
        await expect.poll(() => printed).toContain('"cleared"');
        await restartMachine();
        await put("boot-time", "2020-01-01T00:00:00");
        // Azure has not taken it off its list yet.
        events = [event(kind, { EventStatus: "Started" })];
        watch({ ...slurm, ACKNOWLEDGE: "no" });
        await moreLooks();
        expect(await changes()).toHaveLength(3);
        await rm(folder("boot-time"));
        await expect
          .poll(async () => (await changes()).slice(3))
          .toEqual(["scontrol update NodeName=htc-7 State=RESUME"]);
        await moreLooks();
        expect(await changes()).toHaveLength(4);
        expect(await textOf("state/drained.json")).toBe("");
      },
    );

    test("after a restart that Azure did not cause, the event is still to come: the drain stays, and jobs are not requeued again", async () => {
      events = [event("Reboot")];
      watch({ ...slurm, ACKNOWLEDGE: "no" });
      await expect.poll(() => printed).toContain('"cleared"');
      await restartMachine();
      watch({ ...slurm, ACKNOWLEDGE: "no" });
      await moreLooks();
      expect(await changes()).toHaveLength(3);
      events = [];
      await expect.poll(() => printed).toContain('"back"');
    });

    test.each(["", "[]", '{"reason": 7}', "not JSON"])(
      "a marker that cannot be read ends no drain: %j",
      async (text) => {
        await put("reason", reasonFor("Reboot"));
        await mkdir(folder("state"));
        await put("state/drained.json", text);
        watch(slurm);
        await expect.poll(() => printed).toContain("marker-unreadable");
        await moreLooks();
        expect(await textOf("reason")).toBe(reasonFor("Reboot"));
      },
    );
  });

  describe("the name of the node", () => {
    test("is the first that Slurm knows: CycleCloud's name here, since no slurmd was started with one", async () => {
      await program("jetpack", 'case $2 in cyclecloud.node.name) echo htc-7 ;; *) echo "$3" ;; esac');
      events = [event("Preempt")];
      watch({ SCHEDULER: "slurm" });
      await expect.poll(changes).toContain("scontrol requeue 12");
      expect((await changes())[0]).toContain("NodeName=htc-7");
    });

    test("is the one that slurmd was started by, with the prefix that only Slurm has", async () => {
      await program("jetpack", 'case $2 in cyclecloud.node.name) echo 7 ;; *) echo "$3" ;; esac');
      // It ends when its input does.
      const slurmd = spawn("/bin/sh", ["-c", "read line", "-N", "htc-7"], { argv0: "slurmd" });
      try {
        events = [event("Preempt")];
        watch({ SCHEDULER: "slurm" });
        await expect.poll(changes).toContain("scontrol requeue 12");
      } finally {
        slurmd.stdin.end();
      }
    });
  });
});

describe("the service", () => {
  const settings = () => ({
    ...slurm,
    INSTANCE: "vm-id-7",
    SERVICE_URL: `${url}/api/clusters/hpc/leaving`,
    SERVICE_KEY_FILE: folder("key"),
  });
  beforeEach(async () => {
    await startSlurm();
    await writeFile(folder("key"), "f-key\n", { mode: 0o600 });
  });

  test("is told which machine goes, why and when, again if it refused; of a pause and a restart it is not", async () => {
    refusals = [503];
    events = [event("Preempt"), event("Freeze"), event("Reboot")];
    watch(settings());
    await expect.poll(() => posts).toHaveLength(2);
    await moreLooks();
    expect(posts).toHaveLength(2);
    expect(posts[1]).toMatchObject({
      path: "/api/clusters/hpc/leaving",
      headers: { "x-functions-key": "f-key" },
      body: { instance: "vm-id-7", event: "Preempt", notBefore: "Wed, 25 Nov 2026 22:00:30 GMT" },
    });
    // The service can read it.
    expect(leavingBody.safeParse(posts[1]?.body).success).toBe(true);
    expect(printed).not.toContain("f-key");
    expect(await readFile(`/proc/${watcher?.pid}/environ`, "utf8")).not.toContain("f-key");
  });

  test("a scheduler that never answers delays the message by nothing; a service that never answers delays no job", async () => {
    await program("scontrol", "sleep 30");
    events = [event("Preempt")];
    watch(settings());
    await expect.poll(() => posts).toHaveLength(1);
    expect(await changes()).toEqual([]);
    await stop("SIGKILL");
    isSilent = true;
    await startSlurm();
    watch(settings());
    await expect.poll(changes).toContain("scontrol requeue 13");
    expect(printed.match(/"told"/g)).toHaveLength(1);
  });

  test("with the login of nodes it shows that", async () => {
    events = [event("Preempt")];
    watch({ ...settings(), SERVICE_USERNAME: "node" });
    await expect.poll(() => posts).toHaveLength(1);
    expect(posts[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("node:f-key").toString("base64")}`,
    });
    expect(posts[0]?.headers).not.toHaveProperty("x-functions-key");
  });

  test("the key goes nowhere where an answer points to", async () => {
    refusals = [302, 302, 302, 302];
    events = [event("Preempt")];
    watch(settings());
    await expect.poll(() => printed).toContain("302");
    expect(posts.map(({ path }) => path)).not.toContain("/elsewhere");
    expect(printed).not.toContain('"told"');
  });

  test.each([
    ["http://app.example.com/api/clusters/hpc/leaving", 0o600, "SERVICE_URL"],
    ["https://user:word@app.example.com/api", 0o600, "SERVICE_URL"],
    ["ftp://127.0.0.1/api", 0o600, "SERVICE_URL"],
    ["https://", 0o600, "SERVICE_URL"],
    ["https://app.example.com/api/clusters/hpc/leaving", 0o640, "SERVICE_KEY_FILE"],
    ["https://app.example.com/api/clusters/hpc/leaving", undefined, "SERVICE_KEY_FILE"],
  ])("%s with a key of mode %o: it does not begin", async (address, mode, name) => {
    if (mode === undefined) await rm(folder("key"));
    else await chmod(folder("key"), mode);
    watch({ ...settings(), SERVICE_URL: address });
    await expect.poll(() => watcher?.exitCode).toBe(1);
    expect(printed.match(/"problem": "(\w+)/g)).toEqual([`"problem": "${name}`]);
    expect(printed).not.toContain("f-key");
  });
});

describe("what Azure's address answers", () => {
  beforeEach(startSlurm);

  test.each<[string, (response: ServerResponse) => void]>([
    ["broken JSON", (response) => response.end('{"Events": [')],
    ["a page", (response) => response.end("<html>busy</html>")],
    ["another type", (response) => response.end('["Events"]')],
    ["no list", (response) => response.end('{"Events": {"EventId": "x"}}')],
    ["no list at all", (response) => response.end('{"DocumentIncarnation": 1}')],
    ["nothing", (response) => response.end("")],
    ["no text", (response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))],
    ["deep JSON", (response) => response.end("[".repeat(200_000))],
    ["an error", (response) => response.writeHead(500).end("{}")],
    ["a redirection", (response) => response.writeHead(302, { location: `${url}/events` }).end("{}")],
    ["a cut connection", (response) => response.socket?.destroy()],
    [
      "half an answer",
      (response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"Events": []}');
        setImmediate(() => response.socket?.destroy());
      },
    ],
    ["half a status line", (response) => response.socket?.end("HTTP/1.1 2")],
    ["very much", (response) => response.end(`{"Events": [], "x": "${"x".repeat(2_000_000)}"}`)],
  ])("%s: it goes on, and the drain is not ended by that", async (_, answer) => {
    events = [event("Freeze")];
    watch({ ...slurm, ACKNOWLEDGE: "no" });
    await expect.poll(() => printed).toContain('"cleared"');
    broken = answer;
    await expect.poll(() => printed).toContain('"events-unknown"');
    await moreLooks();
    expect(await textOf("reason")).toBe(reasonFor("Freeze"));
    broken = undefined;
    events = [];
    await expect.poll(() => printed).toContain('"back"');
  });

  test("events of wrong types are passed over, and the others count", async () => {
    events = [
      null,
      7,
      { ...event("Preempt"), EventId: 7 },
      { ...event("Preempt"), Resources: "vm-7" },
      { ...event("Preempt"), EventType: ["Preempt"] },
      { ...event("Reboot"), NotBefore: 7 },
    ];
    watch({ ...slurm, ACKNOWLEDGE: "no" });
    await expect.poll(changes).toContain("scontrol requeue 13");
    expect(await textOf("reason")).toBe("azure Reboot 7");
  });
});

describe("PBS", () => {
  beforeEach(async () => {
    await program(
      "pbsnodes",
      `case "$1" in
-H) [ -f $here/reason ] && state=offline || state=job-busy
  echo "$2"; echo "     state = $state"; echo "     jobs = 5[2].head/1, 4.head/0, 4.head/2"
  if [ -f $here/reason ]; then echo "     comment = $(cat $here/reason)"; fi ;;
-o) printf %s "$3" >$here/reason ;;
-r) rm $here/reason ;;
esac`,
    );
    await program("qrerun");
  });

  test("knows the node by its host name; the drain ends with the event", async () => {
    await program("jetpack", 'case $2 in cyclecloud.node.name) echo htc-7 ;; *) echo "$3" ;; esac');
    events = [event("Preempt")];
    watch({ SCHEDULER: "pbs" });
    await expect.poll(() => printed).toContain('"cleared"');
    events = [];
    await expect.poll(() => printed).toContain('"back"');
    expect(await changes()).toEqual([
      `pbsnodes -o -C ${reasonFor("Preempt")} ${host}`,
      "qrerun 4.head",
      "qrerun 5[2].head",
      `pbsnodes -r -C  ${host}`,
    ]);
  });

  test("what somebody took offline stays so", async () => {
    await put("reason", "cyclecloud keep offline");
    events = [event("Preempt")];
    watch({ SCHEDULER: "pbs" });
    await expect.poll(() => printed).toContain('"cleared"');
    events = [];
    await moreLooks();
    expect(await changes()).toEqual(["qrerun 4.head", "qrerun 5[2].head"]);
  });
});

describe("Grid Engine", () => {
  const row = (job: number, queue: string, task = "") =>
    `<job_list state="running"><JB_job_number>${job}</JB_job_number><JB_name>a&lt;b</JB_name><queue_name>${queue}</queue_name><slots>1</slots>${task}</job_list>`;

  test("tasks of an array that run here are requeued, and no others; queues that were disabled before stay so", async () => {
    await put("disabled", `b.q@${host}\n`);
    await program(
      "qselect",
      `case "$*" in *"-qs d"*) [ -s $here/disabled ] && cat $here/disabled || exit 1 ;; *) echo a.q@${host}; echo b.q@${host} ;; esac`,
    );
    await program("qmod");
    const rows = [
      row(4, `a.q@${host}`, "<tasks>3</tasks>"),
      row(4, `a.q@${host}.cluster.local`, "<tasks>17</tasks>"),
      row(4, "a.q@elsewhere", "<tasks>5</tasks>"),
      row(6, `a.q@${host}`),
      row(6, `a.q@${host}`),
    ];
    await program("qstat", `cat <<'X'\n<?xml version='1.0'?><job_info>${rows.join("\n")}</job_info>\nX`);
    events = [event("Preempt")];
    watch({ SCHEDULER: "gridengine" });
    await expect.poll(() => printed).toContain('"cleared"');
    events = [];
    await expect.poll(() => printed).toContain('"back"');
    expect(await changes()).toEqual([
      `qmod -d a.q@${host}`,
      "qmod -rj 4.17",
      "qmod -rj 4.3",
      "qmod -rj 6",
      `qmod -e a.q@${host}`,
    ]);
    expect(await textOf("calls")).toContain(`qstat -xml -u * -s rs -g t -q *@${host}`);
  });

  test("a qmaster that is away is not a host without jobs or queues", async () => {
    await program("qselect", 'echo "error: commlib error: got select error" >&2; exit 1');
    await program("qstat", "echo nothing");
    await program("qmod");
    events = [event("Redeploy")];
    watch({ SCHEDULER: "gridengine" });
    await expect.poll(() => printed).toContain("commlib error");
    await moreLooks();
    expect(await changes()).toEqual([]);
    expect(posts).toEqual([]);
  });
});

test("without a scheduler the service alone is told, and nothing is acknowledged, since nobody knows what runs", async () => {
  await writeFile(folder("key"), "f-key", { mode: 0o600 });
  events = [event("Redeploy")];
  const service = { SERVICE_URL: `${url}/api/clusters/hpc/leaving`, SERVICE_KEY_FILE: folder("key") };
  await program("jetpack", 'case $2 in cyclecloud.instance.id) echo vm-id-7 ;; *) echo "$3" ;; esac');
  watch({ SCHEDULER: "none", ...service });
  await expect.poll(() => printed).toContain('"told"');
  await moreLooks();
  expect(posts).toMatchObject([{ path: "/api/clusters/hpc/leaving", body: { instance: "vm-id-7" } }]);
});

test("settings that are wrong are all named, and it ends", async () => {
  watch({
    SCHEDULER: "lsf",
    SCHEDULER_NODE: "-h",
    ON_FREEZE: "sleep",
    POLL_SECONDS: "0",
    SERVICE_URL: "https://x/api",
    SERVICE_KEY: "f-key",
  });
  await expect.poll(() => watcher?.exitCode).toBe(1);
  expect(printed.match(/"problem": "(\w+)/g)).toEqual(
    ["SCHEDULER", "SCHEDULER_NODE", "ON_FREEZE", "POLL_SECONDS", "SERVICE_KEY_FILE", "SERVICE_KEY"].map(
      (name) => `"problem": "${name}`,
    ),
  );
  expect(printed).not.toContain("f-key");
});
