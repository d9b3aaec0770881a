import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale } from "./in-process.ts";

const folder = ownFolder();

const usable = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };

async function file(name: string, json: unknown): Promise<string> {
  const path = folder(name);
  await writeFile(path, typeof json === "string" ? json : JSON.stringify(json));
  return path;
}

describe("config validate", () => {
  test("what can be used, for the cluster that it names", async () => {
    const path = await file("any.json", { ...usable, cluster_name: "hpc" });
    expect(await ccscale(["config", "validate", path])).toEqual({
      code: 0,
      stdout: `"${path}" can be used for cluster "hpc".\n`,
      stderr: "",
    });
  });

  test("every problem at once, of includes and of columns too", async () => {
    await file("more.json", { idle_timeout: -1 });
    const path = await file("hpc.json", {
      url: "ftp://x",
      include: ["more.json", "gone.json"],
      output_columns: ["name", "a()"],
    });
    const { code, stderr } = await ccscale(["config", "validate", path]);
    expect(code).toBe(1);
    for (const words of ['include[1]: "gone.json"', "username: missing", 'url: "ftp://x"', 'column "a()"'])
      expect(stderr).toContain(
        `  - ${words.startsWith("column") ? "output_columns of default: " : ""}${words}`,
      );
  });

  test("a password is a warning that names the app setting for it, and does not show it", async () => {
    const json = { ...usable, password_setting: "CYCLECLOUD_PASSWORD_HPC", password: "geheim" };
    const { code, stdout, stderr } = await ccscale(["config", "validate", await file("old.json", json)]);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "password: ignored, no password is read from a configuration; put it into app setting",
    );
    expect(stderr).toContain('"CYCLECLOUD_PASSWORD_HPC"');
    expect(stdout + stderr).not.toContain("geheim");
  });

  test("what is odd is a warning, with the key that was probably meant", async () => {
    const path = await file("odd.json", { ...usable, idle_timeuot: 3 });
    const { code, stderr } = await ccscale(["config", "validate", path]);
    expect(code).toBe(0);
    expect(stderr).toContain('idle_timeuot: unknown, ignored; did you mean "idle_timeout"?');
  });

  test("windows that ask for the same at the same time are a warning", async () => {
    const targets = [{ Name: "htc", TargetCount: 4 }];
    const schedules = {
      office: { start: "0 8 * * *", duration: "10h", targets },
      late: { start: "0 17 * * *", duration: "5h", targets },
    };
    const path = await file("windows.json", { ...usable, schedules });
    const { code, stderr } = await ccscale(["config", "validate", path]);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'schedules.late: asks for nodes of "htc" while schedules.office does, first at ',
    );
  });

  test("a key that is missing because it is misspelt is named as both", async () => {
    const { username, ...others } = usable;
    const path = await file("misspelt.json", { ...others, user_name: username });
    const { code, stderr } = await ccscale(["config", "validate", path]);
    expect(code).toBe(1);
    expect(stderr).toContain('user_name: unknown, ignored; did you mean "username"?');
    expect(stderr).toContain("- username: missing");
  });

  test.each([
    ["is missing", "no-such.json", "ENOENT"],
    ["is no JSON", "broken.json", "JSON"],
  ])("a file that %s", async (_, name, words) => {
    await file("broken.json", "{");
    const { code, stderr } = await ccscale(["config", "validate", folder(name)]);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});

describe("config init", () => {
  const words = ["--cluster-name", "hpc", "--server-url", "https://c.example", "--username", "me"];

  test("a configuration that validate and push accept, with no password in it", async () => {
    const path = folder("new.json");
    const slots = ["--slots", "node.vcpu_count", "--failed-nodes", "retry", "--read-only"];
    expect(await ccscale(["config", "init", ...words, ...slots, "--output", path])).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      cluster_name: "hpc",
      url: "https://c.example",
      username: "me",
      verify_certificates: true,
      idle_timeout: 300,
      boot_timeout: 1800,
      failed_nodes: "retry",
      default_resources: [{ select: {}, name: "slots", value: "node.vcpu_count" }],
      read_only: true,
    });
    expect((await ccscale(["config", "validate", path])).code).toBe(0);
    const again = await ccscale(["config", "init", ...words, "--output", path]);
    expect(again.stderr).toContain(`Cannot write "${path}": it exists`);
  });

  /** CycleCloud's answer about arrays of these sizes. */
  function statusOf(
    arrays: readonly { readonly name: string; readonly spot?: true; readonly sizes: readonly string[] }[],
  ): object {
    const bucket = (machineType: string) => ({
      bucketId: machineType,
      definition: { machineType },
      maxCount: 10,
      activeCount: 0,
      availableCount: 10,
      virtualMachine: { vcpuCount: 4, memory: 8 },
    });
    return {
      nodearrays: arrays.map(({ name, spot, sizes }) => ({
        name,
        nodearray: {
          Name: name,
          Region: "westeurope",
          Interruptible: spot ?? false,
          Configuration: {},
          Azure: {},
        },
        buckets: sizes.map(bucket),
      })),
    };
  }

  test("with the cluster's status it shows prices, and pairs spot arrays with regular ones", async () => {
    const two = ["Standard_F4s_v2", "Standard_D4s_v5"];
    const status = statusOf([
      { name: "mpi", sizes: two },
      { name: "htc", sizes: two },
      { name: "htc-spot", spot: true, sizes: two.toReversed() },
      { name: "odd-spot", spot: true, sizes: ["Standard_Odd"] },
    ]);
    await file("status.json", JSON.stringify(status));
    const { code, stdout, stderr } = await ccscale([
      ...["config", "init", ...words, "--cluster-status", folder("status.json")],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ spot: { pairs: [{ spot: "htc-spot", regular: "htc" }] } });
    expect(stderr).toContain("htc, Standard_F4s_v2: 0.1940 USD an hour\n");
    expect(stderr).toContain("htc-spot (spot), Standard_F4s_v2: at most 0.1940 USD an hour\n");
    expect(stderr).toContain("odd-spot (spot), Standard_Odd: price not known\n");
  });

  test("a file that is no status of a cluster is refused", async () => {
    await file("no-status.json", "[]");
    const { code, stdout, stderr } = await ccscale([
      ...["config", "init", ...words, "--cluster-status", folder("no-status.json")],
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("GET /clusters/NAME/status?nodes=true");
  });

  test("answers that cannot be used are refused with what was wanted", async () => {
    const { code, stdout, stderr } = await ccscale([
      ...["config", "init", "--cluster-name", "hpc", "--server-url", "http://c.example"],
      ...["--username", "a:b", "--slots", "node.vcpus"],
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("  - username: ");
    expect(stderr).toContain("  - url: ");
    expect(stderr).toContain('Cannot use node property "node.vcpus"');
  });
});

describe("config push, before anybody is asked", () => {
  const push = (path: string) => ccscale(["config", "push", path, "--yes"]);

  test("what cannot be used is refused with every problem", async () => {
    const { code, stderr } = await push(await file("three.json", { url: "x" }));
    expect(code).toBe(1);
    expect(stderr).toContain("  - username: missing");
  });

  test("a secret is not sent, and not repeated", async () => {
    const path = await file("four.json", { ...usable, token: "geheim", password: "geheim" });
    const { code, stdout, stderr } = await push(path);
    expect(code).toBe(1);
    expect(stderr).toContain("it holds probable secrets: token\n");
    expect(stdout + stderr).not.toContain("geheim");
  });
});
