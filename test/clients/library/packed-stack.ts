import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { blockOf } from "./packed.ts";

/** The made-up scheduler of docs/schedulers.md: its jobs and hosts are lines of files, and what it is told is written down. */
const programs = {
  toyq: 'cd "$TOYQ_FOLDER"\ncat jobs hosts\nprintf "end\\t%s\\n" "$(cat jobs hosts | wc -l)"\n',
  toyctl: [
    'cd "$TOYQ_FOLDER"',
    'host=$(echo "$2" | cut -c8-); echo "$1 $host" >>told',
    'grep -v "$(printf "\\t")$host$(printf "\\t")" hosts >rest || true',
    'case $1 in add|open) printf "host\\t%s\\topen\\n" "$host" >>rest ;; close) printf "host\\t%s\\tclosed\\n" "$host" >>rest ;; esac',
    "mv rest hosts",
  ].join("\n"),
};

const config = { idle_timeout: 2, demand_ttl: 600 };

/** What the package does on the local stack, from a folder in which it is installed. */
export function testOnStack(appFolder: () => string): void {
  let stack: LocalStack;
  let agent: Child | undefined;
  let scheduler: string;

  beforeAll(async () => {
    stack = await startStack({ speed: 300, config });
    scheduler = join(stack.folder, "toyq");
    await mkdir(scheduler);
    for (const name of ["jobs", "hosts", "told"]) await writeFile(join(scheduler, name), "");
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(join(scheduler, name), `#!/bin/sh\nset -eu\n${text}\n`);
      await chmod(join(scheduler, name), 0o755);
    }
  }, 600_000);

  afterAll(async () => {
    await agent?.stop();
    await stack?.stop();
  });

  const told = async () =>
    (await readFile(join(scheduler, "told"), "utf8")).trimEnd().split("\n").filter(Boolean);
  const hostsIn = (lines: readonly string[], verb: string) =>
    new Set(lines.filter((line) => line.startsWith(`${verb} `)).map((line) => line.slice(verb.length + 1)));
  const jobs = (...lines: readonly string[]) =>
    writeFile(join(scheduler, "jobs"), lines.map((line) => `${line}\n`).join(""));
  const nodes = async () => (await stack.nodes()).filter(({ Template }) => Template === "htc");

  test("the driver of docs/schedulers.md: a job gets a node, which joins, is closed and drained when it idles, and goes", async () => {
    const app = appFolder();
    const text = await blockOf("docs/schedulers.md", "js my-driver.mjs");
    expect(text.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(45);
    await writeFile(join(app, "my-driver.mjs"), text);
    const settings = {
      cluster: stack.cluster,
      source: "toyq",
      driver: "./my-driver.mjs",
      interval_seconds: 1,
    };
    const files = { state_folder: join(stack.folder, "agent"), toyq: { queue: "short" } };
    await writeFile(join(app, "agent.json"), JSON.stringify({ ...settings, ...files }));
    await jobs("job\t17\t4\t-");
    agent = await startChild({
      name: "agent",
      args: [
        join(app, "node_modules/cyclecloud-autoscale/dist/ccscale/main.js"),
        "agent",
        "--config",
        join(app, "agent.json"),
      ],
      env: {
        AutoscaleStorage: stack.environment.storageConnectionString,
        TOYQ_FOLDER: scheduler,
        PATH: `${scheduler}${delimiter}${process.env.PATH}`,
      },
      isReady: (line) => line.includes('"event":"pass"'),
      logFile: join(stack.folder, "agent.log"),
    });
    const joined = await eventually(told, (lines) => lines.length > 0);
    const host = joined[0]?.replace("add ", "") ?? "";
    expect(joined).toEqual([`add ${host}`]);
    // It runs there for longer than the idle time-out: the node stays.
    await jobs(`job\t17\t4\t${host}`, "job\t18\t4\t-");
    expect(await eventually(nodes, ({ length }) => length === 2)).toHaveLength(2);
    // An event may come twice: hosts are counted, not lines.
    await eventually(told, (lines) => hostsIn(lines, "add").size === 2);
    expect(await told()).not.toContain(`close ${host}`);
    await jobs();
    expect(await eventually(nodes, ({ length }) => length === 0)).toEqual([]);
    const all = await eventually(
      told,
      (lines) => lines.filter((line) => line.startsWith("remove ")).length === 2,
    );
    const ofHost = all.filter((line) => line.endsWith(` ${host}`)).map((line) => line.split(" ")[0]);
    expect([...new Set(ofHost)]).toEqual(["add", "close", "remove"]);
    await agent.stop();
    agent = undefined;
  }, 900_000);
}
