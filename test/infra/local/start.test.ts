import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ownFolder } from "../../support/own-folder.ts";

const root = join(import.meta.dirname, "../../..");
/** What to wait for decides; this only ends a test that hangs. */
const patienceMs = 300_000;
const environmentModule = new URL("../../../infra/local/environment/environment.ts", import.meta.url).href;

const folder = ownFolder();
/** A definition of the right shape with a VM size that does not exist. */
let broken: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  broken = folder("broken.json");
  const small = await readFile(join(root, "infra/local/cyclecloud/clusters/small-cpu.json"), "utf8");
  await writeFile(broken, small.replaceAll(/"Standard_\w+"/g, '"Standard_Nowhere"'));
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
});

/** A program, what it prints, and its end. */
function run(program: string, args: readonly string[]) {
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, output }));
  const says = async (words: string): Promise<void> => {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes(words)) return;
    throw new Error(`Ended without "${words}": ${output}`);
  };
  return { child, ended, says };
}

const start = (name: string, ...args: string[]) =>
  run("npm", ["start", "--silent", "--", "--folder", folder(name), ...args]);

test(
  "npm start: a broken cluster definition ends it with one sentence, before anything runs",
  async () => {
    const { code, output } = await start("definition", "--cluster", broken).ended;
    expect(code).toBe(1);
    expect(output).toContain(
      `Cannot read the cluster definition "${broken}": Cannot use machine type "Standard_Nowhere"`,
    );
    expect(output).not.toContain("is up");
  },
  patienceMs,
);

test(
  "startEnvironment: when a part does not come up, it says why, ends the others, and so the process can end",
  async () => {
    const program = `
    import { startEnvironment } from ${JSON.stringify(environmentModule)};
    await startEnvironment({
      clusterFile: ${JSON.stringify(broken)}, cluster: "small-cpu", config: {}, speed: 60, seed: 1,
      folder: ${JSON.stringify(folder("part"))}, snapshotSchedule: "0 0 0 1 1 *",
    }).catch((error) => console.log(error.message));`;
    const { code, output } = await run(process.execPath, ["--input-type=module", "-e", program]).ended;
    expect(output).toMatch(
      /^Cannot start cyclecloud: ended with 1\nCannot use machine type "Standard_Nowhere"/,
    );
    expect(code).toBe(0);
  },
  patienceMs,
);

test(
  "npm start: SIGTERM while it starts ends it",
  async () => {
    const { child, ended, says } = start("stopped");
    await says("compiling");
    child.kill("SIGTERM");
    expect((await ended).output).toContain("Stopped before it was done");
  },
  patienceMs,
);

test(
  "npm start: when npm is killed, every part of the environment ends",
  async () => {
    const { child, says } = start("killed");
    await says("status:");
    const text = await readFile(folder("killed/environment.json"), "utf8");
    const ports = portsIn(text);
    expect(await Promise.all(ports.map(isOpen))).toEqual([true, true, true, true, true, true]);
    child.kill("SIGKILL");
    await expect
      .poll(() => Promise.all(ports.map(isOpen)), { interval: 250 })
      .toEqual([false, false, false, false, false, false]);
  },
  patienceMs,
);

test(
  "npm start: where it may not write it says so in one sentence",
  async () => {
    await writeFile(folder("a-file"), "");
    const { code, output } = await start("a-file/inside").ended;
    expect(code).toBe(1);
    expect(output).toContain(`Cannot write to "${folder("a-file/inside")}": ENOTDIR`);
    expect(output.trim().split("\n").length).toBeLessThan(6);
  },
  patienceMs,
);

test(
  "npm start: a second one in the same folder is refused",
  async () => {
    await mkdir(folder("taken"));
    await writeFile(folder("taken/its.log"), "");
    await symlink(String(process.pid), folder("taken/start.pid.4"));
    const { code, output } = await start("taken").ended;
    expect(code).toBe(1);
    expect(output).toContain(`process ${process.pid} runs one in this folder already`);
    expect(await readdir(folder("taken"))).toEqual(["its.log", "start.pid.4"]);
  },
  patienceMs,
);

/** The ports of the Functions host, the simulator, the Service Bus emulator and Azurite's three services. */
function portsIn(text: string): readonly number[] {
  const { functionsUrl, cycleCloudUrl, ...connections } = z
    .object({
      functionsUrl: z.string(),
      cycleCloudUrl: z.string(),
      storageConnectionString: z.string(),
      serviceBusConnectionString: z.string(),
    })
    .parse(JSON.parse(text));
  const addresses = [functionsUrl, cycleCloudUrl, ...Object.values(connections)].join(";");
  return [...addresses.matchAll(/127\.0\.0\.1:(\d+)/g)].map((match) => Number(match[1]));
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => done(true)).once("error", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
}
