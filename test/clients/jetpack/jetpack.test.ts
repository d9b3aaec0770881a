import { mkdtemp, readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { installJetpack, type JetpackNode } from "../../support/jetpack-node.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { python, run, withoutPython } from "../python/python.ts";

const project = join(import.meta.dirname, "../../../clients/jetpack");
const noPython = withoutPython("venv");
const key = "k3y-of-http-autoscale";

const folder = ownFolder();
let server: Server;
let asked: { readonly url: string; readonly key: string | undefined; readonly body: unknown }[] = [];
let answer: { readonly status: number; readonly body: unknown };
let node: JetpackNode;

const accepted = {
  cluster: "hpc",
  expiresAtSeconds: 1_763_719_200,
  targets: [{ name: "execute", asked: 128, unit: "cores" }],
  warnings: [],
  setAside: { count: 0, items: [] },
};

beforeAll(async () => {
  if (noPython !== "") return;
  server = createServer((request, response) => {
    const { url = "", headers } = request;
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      asked.push({ url, key: headers["x-functions-key"]?.toString(), body: JSON.parse(text) });
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  node = await installJetpack(folder(), {
    "ccscale.url": `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    "ccscale.key": key,
    "cyclecloud.cluster.name": "hpc",
    "cyclecloud.instance.id": "vm-1",
    "cyclecloud.cluster.autoscale.stop_callback": "https://cyclecloud.example/stop",
    "autostop.url": "https://app.example/api/clusters/hpc/autostop",
  });
});

beforeEach(() => {
  asked = [];
  answer = { status: 202, body: accepted };
});

afterAll(async () => {
  server?.close();
});

describe("the CycleCloud project of jetpack", () => {
  test("its template names this project, and declares every parameter that it uses", async () => {
    const template = await readFile(join(project, "templates/jetpack.txt"), "utf8");
    const ini = await readFile(join(project, "project.ini"), "utf8");
    const value = (name: string) => new RegExp(`^${name} = (.*)$`, "m").exec(ini)?.[1];
    expect(template).toContain(`[[[cluster-init ${value("name")}:default:${value("version")}]]]`);
    const used = [...template.matchAll(/= \$(\w+)/g)].map(([, parameter]) => parameter);
    const declared = [...template.matchAll(/\[\[\[parameter (\w+)\]\]\]/g)].map(([, parameter]) => parameter);
    expect(new Set(used)).toEqual(new Set(declared));
  });
});

describe.skipIf(noPython !== "")(`jetpack of a node${noPython}`, () => {
  test("the installation says nothing, and only the owner reads the key", async () => {
    expect(node.installed).toEqual({ code: 0, out: "", errors: "" });
    const settings = join(node.root, "etc/ccscale/client.json");
    expect(JSON.parse(await readFile(settings, "utf8"))).toMatchObject({ cluster: "hpc", key });
    expect((await stat(settings)).mode & 0o777).toBe(0o600);
    const profile = await readFile(join(node.root, "etc/profile.d/zz-ccscale-jetpack.sh"), "utf8");
    expect(profile).toBe(`export PATH=${node.root}/opt/ccscale-jetpack/bin:$PATH\n`);
  });

  test("jetpack autoscale sets a target with the node's key", async () => {
    const { code, out, errors } = await node.run("jetpack", [
      "autoscale",
      "-n",
      "htc",
      "-c",
      "128",
      "-i",
      "3",
    ]);
    expect({ code, out, errors }).toEqual({
      code: 0,
      out: "execute: 128 cores until 10:00:00 UTC\n",
      errors: "",
    });
    const body = [{ Name: "htc", TargetCoreCount: 128, TargetCount: 3 }];
    expect(asked).toEqual([{ url: expect.stringContaining("/api/clusters/hpc/autoscale?"), key, body }]);
    expect(asked[0]?.url).toContain("request_set=standard");
  });

  test("what the autoscaler does not know is said, and does not fail the script", async () => {
    answer = { status: 202, body: { ...accepted, warnings: ['no node array "htc"'] } };
    const { code, errors } = await node.run("jetpack", ["autoscale", "--corecount=1"]);
    expect({ code, errors }).toEqual({ code: 0, errors: 'jetpack autoscale: no node array "htc"\n' });
  });

  test.each([
    [
      "a refusal",
      ["autoscale", "--corecount=1"],
      1,
      /^jetpack autoscale: no; Name: missing, expected a name\n$/,
    ],
    [
      "no count",
      ["autoscale", "--name=execute"],
      2,
      /expected either --corecount or --instancecount, or --file/,
    ],
    ["no number", ["autoscale", "--corecount=many"], 2, /invalid int value: 'many'/],
    ["no file", ["autoscale", "--file=nowhere.json"], 2, /No such file/],
  ])("%s ends with an error", async (_, args, expected, says) => {
    answer = { status: 400, body: { title: "no", problems: ["Name: missing, expected a name"] } };
    const { code, out, errors } = await node.run("jetpack", args);
    expect({ code, out, errors }).toEqual({ code: expected, out: "", errors: expect.stringMatching(says) });
    expect(errors).not.toContain(key);
  });

  test("every other command goes to CycleCloud's own jetpack as it is, with its exit code", async () => {
    const other = await node.run("jetpack", ["log", "system is ready", "--priority", "low"]);
    expect(other).toEqual({ code: 7, out: "own <log> <system is ready> <--priority> <low>", errors: "" });
    expect(await node.run("jetpack", [])).toMatchObject({ code: 7, out: expect.stringMatching(/^own/) });
    const config = await node.run("jetpack", ["config", "cyclecloud.instance.id"]);
    expect(config).toEqual({ code: 0, out: "vm-1\n", errors: "" });
    expect(await node.run("jetpack", ["config", "not.set", "else"])).toMatchObject({ out: "else\n" });
  });

  test("without CycleCloud's own jetpack, other commands say so", async () => {
    const alone = join(node.root, "opt/ccscale-jetpack/bin/jetpack");
    const { code, errors } = await run(alone, ["log", "x"], { env: { PATH: "/usr/bin:/bin" } });
    expect({ code, errors }).toEqual({
      code: 127,
      errors: `jetpack: CycleCloud's own jetpack is not on this machine, expected it for "log"; only autoscale works without\n`,
    });
  });

  test("CycleCloud's own Python keeps its package; only jetpack.autoscale is ours", async () => {
    const program = `
import jetpack, jetpack.config, jetpack.autoscale
print(jetpack.IS_OWN, jetpack.config.get("a.b"), "site-packages" in jetpack.__file__)
print(jetpack.autoscale.update([{"Name": "htc", "TargetCount": 2}], "nightly", 600).answer["cluster"])
try:
    jetpack.autoscale.scale_by_jobs([])
except AttributeError as error:
    print(error)
`;
    const { code, out, errors } = await node.run(node.python, ["-c", program]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out.split("\n")).toEqual([
      "True own a.b True",
      "hpc",
      expect.stringMatching(/^jetpack\.autoscale\.scale_by_jobs is no part of .* expected set or update/),
      "",
    ]);
    expect(asked[0]?.url).toMatch(/request_set=nightly&expiration_interval=600/);
  });

  test("a Python without CycleCloud's package has jetpack.autoscale by PYTHONPATH", async () => {
    const lib = join(node.root, "opt/ccscale-jetpack/lib");
    const settings = join(node.root, "etc/ccscale/client.json");
    const env = { PYTHONPATH: lib, CCSCALE_SETTINGS: settings };
    const call = "import jetpack.autoscale; jetpack.autoscale.set(name='htc', instancecount=2)";
    expect(await run(python, ["-c", call], { env })).toEqual({ code: 0, out: "", errors: "" });
    expect(asked[0]?.body).toEqual([{ Name: "htc", TargetCount: 2 }]);
    for (const [wrong, says] of [
      ["set('htc')", /InvalidValue: corecount: none, expected/],
      ["update({'Name': 'htc'})", /InvalidValue: arrays: dict, expected a list/],
    ] as const) {
      const refused = await run(python, ["-c", `import jetpack.autoscale; jetpack.autoscale.${wrong}`], {
        env,
      });
      expect(refused).toMatchObject({ code: 1, errors: expect.stringMatching(says) });
    }
    expect(asked).toHaveLength(1);
  });

  test("the address for autostop is ours where the node has one, else CycleCloud's", async () => {
    const stop = ["config", "cyclecloud.cluster.autoscale.stop_callback"];
    const { out } = await node.run("jetpack", stop);
    expect(out).toBe("https://app.example/api/clusters/hpc/autostop\n");
    const other = await mkdtemp(folder("other-"));
    const plain = await installJetpack(other, { [stop[1] ?? ""]: "https://cyclecloud.example/stop" });
    expect(plain.installed).toMatchObject({
      code: 0,
      out: "ccscale.url is not set: this node asks for no targets\n",
    });
    expect((await plain.run("jetpack", stop)).out).toBe("https://cyclecloud.example/stop\n");
  });

  test("an address without a login fails the installation and says what is missing", async () => {
    const other = await mkdtemp(folder("no-login-"));
    const { installed } = await installJetpack(other, { "ccscale.url": "https://app.example" });
    expect(installed).toEqual({
      code: 1,
      out: "",
      errors: "ccscale.key: not set, expected a function key, or ccscale.audience for a managed identity\n",
    });
  });

  test("a group may read the login when the configuration names one", async () => {
    const other = await mkdtemp(folder("group-"));
    const { out: group } = await run("id", ["-gn"]);
    const settings = {
      "ccscale.url": "https://app.example",
      "ccscale.audience": "api://app",
      "ccscale.group": group.trim(),
    };
    const shared = await installJetpack(other, settings);
    expect(shared.installed).toEqual({ code: 0, out: "", errors: "" });
    expect((await stat(join(shared.root, "etc/ccscale/client.json"))).mode & 0o777).toBe(0o640);
  });

  test.each([
    ["without an address: the installation says so", {}, 0, /python is older than Python 3\.9/],
    [
      "with an address: it fails",
      { "ccscale.url": "https://app.example" },
      1,
      /there is no Python 3\.9 or later/,
    ],
  ])("a Python that is too old stays as it is, %s", async (_, settings, code, says) => {
    const other = await mkdtemp(folder("old-"));
    const old = await installJetpack(other, settings, { isTooOld: true });
    expect(old.installed).toEqual({ code, out: "", errors: expect.stringMatching(says) });
    const asks = await old.run("jetpack", ["autoscale", "--corecount=1"]);
    expect(asks).toEqual({
      code: 1,
      out: "",
      errors: "jetpack autoscale: there is no Python 3.9 or later on this machine\n",
    });
  });
});
