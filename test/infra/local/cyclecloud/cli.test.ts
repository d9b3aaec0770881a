import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { clustersFolder } from "../../../../infra/local/cyclecloud/index.ts";
import { ask } from "./rig.ts";

test("cli: serves the given clusters and ends when told", async () => {
  const cli = fileURLToPath(new URL("../cli.ts", clustersFolder));
  const files = ["small-cpu.json", "hpc.json"].map((name) => fileURLToPath(new URL(name, clustersFolder)));
  const child = spawn(process.execPath, [cli, "--cluster", ...files, "--port", "0", "--speed", "20"]);
  try {
    const [line] = await once(createInterface(child.stdout), "line");
    const [url = ""] = /http:\S+:\d+/.exec(String(line)) ?? [];
    expect((await ask(`${url}/clusters/hpc/status?nodes=true`, {}, "demo:demo")).body.nodes).toHaveLength(1);
    expect((await ask(`${url}/clusters/small-cpu/status`, {}, "demo:demo")).status).toBe(200);
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  }
});
