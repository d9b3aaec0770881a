import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import { routes } from "../../../shared/api/index.ts";
import { isAll } from "../../support/cases.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { blockOf, root, runNode } from "./packed.ts";

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

  test.runIf(isAll)(
    "the driver of docs/schedulers.md: a job gets a node, which joins, is closed and drained when it idles, and goes",
    async () => {
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
      // An event may come twice: hosts are counted, not lines.
      expect([...new Set(joined)]).toEqual([`add ${host}`]);
      // It runs there for longer than the idle time-out: the node stays.
      await jobs(`job\t17\t4\t${host}`, "job\t18\t4\t-");
      expect(await eventually(nodes, ({ length }) => length === 2)).toHaveLength(2);
      await eventually(told, (lines) => hostsIn(lines, "add").size === 2);
      expect(await told()).not.toContain(`close ${host}`);
      await jobs();
      expect(await eventually(nodes, ({ length }) => length === 0)).toEqual([]);
      const all = await eventually(told, (lines) => hostsIn(lines, "remove").size === 2);
      const ofHost = all.filter((line) => line.endsWith(` ${host}`)).map((line) => line.split(" ")[0]);
      expect([...new Set(ofHost)]).toEqual(["add", "close", "remove"]);
      await agent.stop();
      agent = undefined;
    },
    900_000,
  );

  test("DemandSender posts a job, and the typed client calls every route", async () => {
    const app = appFolder();
    // Installed beside the package, with what they depend on: nothing is fetched.
    await symlink(join(root, "node_modules/@azure"), join(app, "node_modules/@azure"));
    const send = [
      'import { job, ncpus } from "cyclecloud-autoscale/engine";',
      'import { DemandSender } from "cyclecloud-autoscale/messages";',
      "const [, , connectionString, cluster] = process.argv;",
      'const sender = new DemandSender({ cluster, source: "own", storage: { connectionString } });',
      'const sent = await sender.snapshot([job("one", ncpus(4))], [{ hostname: "on-premise-1", state: "up" }]);',
      'const refused = await sender.snapshot([{ name: "", constraints: {} }]);',
      "console.log(sent.outcome, refused.outcome);",
    ].join("\n");
    await writeFile(join(app, "send.mjs"), send);
    const { stdout } = await runNode(
      ["send.mjs", stack.environment.storageConnectionString, stack.cluster],
      app,
    );
    expect(stdout).toBe("sent refused\n");
    expect(await eventually(nodes, ({ length }) => length === 1)).toHaveLength(1);
    // Until a plan has seen the node, so that it has a history.
    const address = `${stack.environment.functionsUrl}/api/clusters/${stack.cluster}/nodes`;
    const known = async () => (await fetch(address)).text();
    expect(await eventually(known, (text) => /"firstSeenSeconds":\d/.test(text))).toMatch(
      /"firstSeenSeconds":\d/,
    );

    const program = await readFile(join(import.meta.dirname, "every-route.ts"), "utf8");
    const packaged = program.replace(
      "../../../clients/library/client/index.ts",
      "cyclecloud-autoscale/client",
    );
    await writeFile(join(app, "every-route.ts"), packaged);
    const options = [
      "--strict",
      "--exactOptionalPropertyTypes",
      "--noUncheckedIndexedAccess",
      "--noEmit",
      "--skipLibCheck",
    ];
    const target = [
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "node",
      "--typeRoots",
      join(root, "node_modules/@types"),
    ];
    await runNode(
      [join(root, "node_modules/typescript/bin/tsc"), ...options, ...target, "every-route.ts"],
      app,
    );
    const called = await runNode(["every-route.ts", stack.environment.functionsUrl, stack.cluster], app);
    const answered: Readonly<Record<string, string>> = JSON.parse(called.stdout);
    expect(Object.keys(answered).sort()).toEqual(routes.map(({ id }) => id).sort());
    const notFound = "404 urn:cyclecloud-autoscale:problem:";
    const problems = Object.entries(answered).filter(([, text]) => !/^20\d$/.test(text));
    expect(Object.fromEntries(problems)).toEqual({
      // The node is needed, and asked again at once; the configuration has no address of CycleCloud.
      autostop: "409 urn:cyclecloud-autoscale:problem:refused",
      stop: "429 urn:cyclecloud-autoscale:problem:too-often",
      "put-config": "400 urn:cyclecloud-autoscale:problem:bad-request",
      "explain-target": expect.stringContaining(notFound),
      reject: expect.stringContaining(notFound),
      "replay-reject": expect.stringContaining(notFound),
    });
  }, 600_000);
}
