import { afterEach, describe, expect, test } from "vitest";
import { commandNames } from "../../../clients/cli/command-table.ts";
import { fromPeers } from "../../../clients/cli/peer-spellings.ts";
import { createProgram } from "../../../clients/cli/program.ts";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { serve, stopServing } from "./acting-service.ts";
import { ccscale } from "./in-process.ts";
import { screen } from "./output/screen.ts";

afterEach(stopServing);

describe("commands as azpbs, azge and azslurm call them", () => {
  test.each([
    ["create_nodes", ["create-nodes"]],
    ["delete_nodes", ["delete-nodes"]],
    ["remove_nodes", ["remove-nodes"]],
    ["validate_constraint", ["validate-constraint"]],
    ["retry_failed_nodes", ["retry-failed"]],
    ["analyze", ["explain"]],
    ["initconfig", ["config", "init"]],
    ["default_output_columns", ["columns"]],
    ["connect", ["status"]],
    ["offline", ["drain"]],
    ["online", ["undrain"]],
  ])("%s is %j", (there, here) => {
    expect(fromPeers([there, "-c", "a_b.json"])).toEqual([...here, "-c", "a_b.json"]);
    expect(commandNames).toContain(here[0]);
  });

  test.each([["no_such_command"], ["nodes"], ["--help"]])("%s stays as it is", (word) => {
    expect(fromPeers([word])).toEqual([word]);
  });

  test.each([
    ["refresh_autocomplete", 0, "Nothing to refresh"],
    ["join_nodes", 2, 'use "ccscale undrain"'],
    ["shell", 2, "--format json"],
  ])("%s ends with %i and says what to use", async (word, expected, words) => {
    const { code, stdout, stderr } = await ccscale([word]);
    expect({ code, text: stdout + stderr }).toEqual({ code: expected, text: expect.stringContaining(words) });
  });

  test("default_output_columns -d: the columns of one list", async () => {
    const [there, here] = await Promise.all([
      ccscale(["default_output_columns", "-d", "limits"]),
      ccscale(["columns", "limits"]),
    ]);
    expect(there).toEqual(here);
    expect(here.stdout).toContain(
      "ccscale limits -o 'limit,scope,unit,max:-,used:-,left,jobs@waiting_jobs,cores@waiting_cores,binds,bound_by:-'",
    );
  });

  test("initconfig: --url is read, and a password is refused and not repeated", async () => {
    const argv = ["initconfig", "--cluster-name", "hpc", "--username", "u", "--url", "https://c.example"];
    expect(JSON.parse((await ccscale(argv)).stdout)).toMatchObject({ url: "https://c.example" });
    const { code, stderr } = await ccscale([...argv, "--password", "geheim"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("CYCLECLOUD_PASSWORD") });
    expect(stderr).not.toContain("geheim");
  });
});

describe("options as they spell them", () => {
  const who = ["--by", "ann", "--reason", "quota"];

  test("of a selection", async () => {
    const bodies = await serve();
    const there = wordsOf("--node-names a,b --hostnames=ip-* --constraint-expr ncpus=4 -C memgb=1");
    const here = ["-N", "a,b", "-H", "ip-*", "-C", "ncpus=4", "-C", "memgb=1"];
    for (const selection of [there, here]) await ccscale(["ignore", ...selection, ...who]);
    expect(bodies[0]).toMatchObject({ nodes: { names: ["a", "b"], hostnames: ["ip-*"] } });
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test("of create_nodes", async () => {
    const bodies = await serve();
    const there = ["-k", "-n", "2", "-a", "htc", "-v", "F4", "-p", "pg0", "-x", "-X", "-t", "scatter", "-d"];
    const json = ["-S", '{"slurm": {"autoscale": true}}', "-O", '{"Tag": "blue", "Size": 4}'];
    await ccscale(["create_nodes", ...there, ...json, ...who]);
    const here = ["--keep-alive", "-n", "2", "-a", "htc", "--vm-size", "F4", "--placement-group", "pg0"];
    const pairs = ["--software-configuration", "slurm.autoscale=true", "--attribute", "Tag=blue"];
    await ccscale([
      ...["create-nodes", ...here, "--exclusive", "-C", "exclusive-task=true", "--strategy", "scatter"],
      ...["--dry-run", ...pairs, "--attribute", "Size=4", ...who],
    ]);
    expect(bodies[0]).toMatchObject({ count: 2, vmSize: "F4", keepAlive: true, dryRun: true });
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test("of the format, underscores too", async () => {
    await serve();
    const { code, stdout } = await ccscale(["ignore", "-N", "a", "-F", "json"]);
    expect({ code, json: JSON.parse(stdout) }).toMatchObject({ code: 0, json: { outcome: "requested" } });
    expect(await ccscale(["nodes", "--output-format", "table_headerless", "--watch", "0"])).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining("table_headerless"),
    });
  });

  test("are in no help, and are nobody else's", async () => {
    for (const command of (await createProgram(screen())).commands) {
      expect(command.helpInformation()).not.toMatch(/--(node-names|constraint-expr|output-format|hostnames)/);
      const flags = command.options
        .flatMap(({ short, long }) => [short, long])
        .filter((flag) => flag != null);
      expect(new Set(flags).size, command.name()).toBe(flags.length);
    }
  });
});

test("remove_nodes: what asks says that the VMs are deleted, and what keeps them", async () => {
  const bodies = await serve();
  const { code, stderr } = await ccscale(["remove_nodes", "-N", "htc-1"], ["n\n"]);
  expect(code).toBe(1);
  expect(stderr).toContain("This deletes the VMs of these nodes and their records.");
  expect(stderr).toContain('use "ccscale keep-alive on" and "ccscale drain"');
  expect(bodies).toMatchObject([{ kind: "remove", dryRun: true }]);
});
