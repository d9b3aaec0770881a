import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withoutPython } from "../clients/python/python.ts";
import { installJetpack, type JetpackNode } from "../support/jetpack-node.ts";
import { eventually, type LocalStack, startStack } from "../support/local-stack.ts";

const noPython = withoutPython("venv");
const blocks = join(import.meta.dirname, "auto-scale-api");
const cluster = "field";
const password = "of-nodes-only";
const size = { family: "standardDFamily", vcpus: 4, pcpus: 2, memoryGiB: 16 };
const gpuSize = "Standard_NC6s_v3";
/** The machine type is spelled as on the page, where it has four cores. */
const definition = {
  name: cluster,
  region: "westeurope",
  quotas: { westeurope: { cores: 2_000 } },
  times: { boot: { minSeconds: 60, medianSeconds: 90, maxSeconds: 120 } },
  vmSizes: { Standard_D4v3: size },
  nodearrays: [
    { name: "execute", machineTypes: ["Standard_F4s_v2", "Standard_D4v3"], maxCount: 200 },
    { name: "gpu", machineTypes: [gpuSize], maxCount: 10 },
  ],
};

let stack: LocalStack;
let node: JetpackNode;

/** A node of the cluster, whose configuration says what the template sets. */
async function nodeWith(instance: string): Promise<JetpackNode> {
  const url = stack.environment.functionsUrl;
  return installJetpack(await mkdtemp(join(stack.folder, "node-")), {
    "ccscale.url": url,
    "ccscale.key": "any: the local environment asks for none".replaceAll(/\W/g, "-"),
    "cyclecloud.cluster.name": cluster,
    "cyclecloud.instance.id": instance,
    "cyclecloud.cluster.autoscale.stop_callback": "https://cyclecloud.example/stop",
    "autostop.url": `${url}/api/clusters/${cluster}/autostop`,
  });
}

/** Runs an example as it stands. What stands before it: what the page has run by then. */
async function runBlock(file: string, before = "") {
  const path = join(blocks, file);
  const text = before + (await readFile(path, "utf8"));
  const ran = file.endsWith(".sh")
    ? node.run("bash", ["--norc", "-euc", text], { cwd: blocks })
    : node.run(node.python, ["-c", text], { cwd: blocks });
  expect(await ran).toMatchObject({ code: 0, errors: "" });
}

/** What the newest plan makes of the targets, sorted by name. */
async function targets() {
  const { targets: met } = await stack.readStatus();
  return met
    .map(
      ({ name, asked, unit, granted, requestSet }) => `${requestSet} ${name}: ${granted} of ${asked} ${unit}`,
    )
    .toSorted();
}

/** Waits for the targets, and then for the nodes of each kind. */
async function becomes(expected: readonly string[], nodes: Readonly<Record<string, number>>): Promise<void> {
  const same = (value: unknown, wanted: unknown) => JSON.stringify(value) === JSON.stringify(wanted);
  expect(await eventually(targets, (now) => same(now, expected))).toEqual(expected);
  const count = async () => {
    const kinds = Map.groupBy(await stack.nodes(), ({ Name }) => Name.replace(/-\d+$/, ""));
    return Object.fromEntries([...kinds].map(([kind, own]) => [kind, own.length] as const).sort());
  };
  expect(await eventually(count, (now) => same(now, nodes))).toEqual(nodes);
}

describe.skipIf(noPython !== "")(
  `the auto-scale API's examples, unchanged, on a node${noPython}`,
  { timeout: 240_000 },
  () => {
    beforeAll(async () => {
      const idle = { idle_time_before_jobs: 0, idle_time_after_jobs: 0 };
      stack = await startStack({
        definition,
        speed: 300,
        config: {
          idle_timeout: 3_600,
          autostop: { ...idle, username: "node" },
          target_attributes: ["Configuration.custom_setting", "Configuration.application_version"],
        },
        settings: { AUTOSTOP_LOGIN: "basic", AUTOSTOP_PASSWORD: password },
      });
      node = await nodeWith("none");
      expect(node.installed).toEqual({ code: 0, out: "", errors: "" });
    }, 240_000);

    // What an example asks for is its own doing, not that of the one before.
    beforeEach(async () => {
      const nothing = "import jetpack.autoscale; jetpack.autoscale.update([])";
      expect(await node.run(node.python, ["-c", nothing])).toEqual({ code: 0, out: "", errors: "" });
      expect(await eventually(targets, ({ length }) => length === 0)).toEqual([]);
    });

    afterAll(() => stack?.stop());

    // First, while there are no other nodes.
    test("update with a machine type and configuration: new nodes have both", async () => {
      await runBlock("machine-type.py");
      await becomes(["standard execute: 128 of 128 cores"], { execute: 32 });
      for (const each of await stack.nodes())
        expect(each).toMatchObject({ MachineType: "Standard_D4v3", Configuration: { custom_setting: 123 } });
    });

    test("Jetpack CLI: 128 cores of execute", async () => {
      await runBlock("jetpack-cli.sh");
      await becomes(["standard execute: 128 of 128 cores"], { execute: 32 });
    });

    test("Jetpack API: set 128 cores of execute", async () => {
      await runBlock("jetpack-api.py");
      await becomes(["standard execute: 128 of 128 cores"], { execute: 32 });
    });

    test("Jetpack API: update with a list of one node array", async () => {
      await runBlock("update.py", await readFile(join(blocks, "jetpack-api.py"), "utf8"));
      await becomes(["standard execute: 128 of 128 cores"], { execute: 32 });
    });

    test("update with a dynamic array that extends execute", async () => {
      await runBlock("dynamic-array.py");
      await becomes(["standard dynamic_array: 3 of 3 nodes", "standard execute: 128 of 128 cores"], {
        dynamic_array: 3,
        execute: 32,
      });
      const own = (await stack.nodes()).filter(({ Name }) => Name.startsWith("dynamic_array"));
      for (const { Template, Configuration } of own)
        expect({ Template, Configuration }).toMatchObject({
          Template: "execute",
          Configuration: { application_version: "1.2.3" },
        });
    });

    test("4 groups of 64 cores: 64 nodes in 4 placement groups, each node with its group's id", async () => {
      await runBlock("grouped-nodes.py");
      await becomes(["standard execute:64: 4 of 4 groups"], {
        dynamic_array: 3,
        execute: 32,
        "execute-64": 64,
      });
      const grouped = (await stack.nodes()).filter(({ PlacementGroupId }) => PlacementGroupId !== undefined);
      const groups = Map.groupBy(grouped, ({ PlacementGroupId }) => PlacementGroupId);
      expect([...groups.values()].map(({ length }) => length)).toEqual([16, 16, 16, 16]);
      for (const { PlacementGroupId, Configuration } of grouped)
        expect(Configuration).toMatchObject({ cyclecloud: { node: { group_id: PlacementGroupId } } });
    });

    test("jetpack autoscale --corecount: cores of execute when no node array is named", async () => {
      await runBlock("cores.sh");
      await becomes(["standard execute: 100 of 100 cores"], {
        dynamic_array: 3,
        execute: 32,
        "execute-64": 64,
      });
    });

    test("jetpack autoscale --instancecount: 5 nodes of gpu", async () => {
      await runBlock("instances.sh");
      await becomes(["standard gpu: 5 of 5 nodes"], {
        dynamic_array: 3,
        execute: 32,
        "execute-64": 64,
        gpu: 5,
      });
    });

    test("jetpack autoscale --file: the node arrays of a JSON file", async () => {
      await runBlock("file.sh");
      await becomes(["standard execute: 100 of 100 cores"], {
        dynamic_array: 3,
        execute: 32,
        "execute-64": 64,
        gpu: 5,
      });
    });

    test("Usage: GET <AUTOSTOP_URL>?instance=<INSTANCE_ID>, with the two lines for the shell", async () => {
      const victim = (await stack.nodes()).find(({ Name }) => Name.startsWith("gpu-"));
      const it = await nodeWith(victim?.InstanceId ?? "");
      // No shell takes blanks around `=`.
      const lines = (await readFile(join(blocks, "autostop-url.ini"), "utf8"))
        .replaceAll(/ +=/g, "=")
        .replaceAll("= ", "=");
      const get = `printf 'user = "node:${password}"' | curl --config - --silent --write-out ' %{http_code}' "$AUTOSTOP_URL?instance=$INSTANCE_ID"`;
      const ask = async () => (await it.run("bash", ["--norc", "-euc", `${lines}\n${get}`])).out;
      const said = await eventually(ask, (out) => !/ (429|503)$/.test(out));
      expect(said).toMatch(/"granted".* 200$/s);
      const left = await eventually(stack.nodes, (all) => all.every(({ Name }) => Name !== victim?.Name));
      expect(left.map(({ Name }) => Name)).not.toContain(victim?.Name);
    });

    test("Usage: the attributes that a Chef recipe reads are those of the template", async () => {
      const recipe = await readFile(join(blocks, "autostop-url.rb"), "utf8");
      const read = [...recipe.matchAll(/node((?:\[:\w+\])+)/g)].map(([, path = ""]) =>
        path.slice(2, -1).replaceAll("][:", "."),
      );
      expect(read).toEqual(["cyclecloud.cluster.autoscale.stop_callback", "cyclecloud.instance.id"]);
      const template = await readFile(
        join(import.meta.dirname, "../../clients/jetpack/templates/jetpack.txt"),
        "utf8",
      );
      expect(template).toContain(`\n        ${read[0]} = $AutostopUrl\n`);
    });
  },
);
