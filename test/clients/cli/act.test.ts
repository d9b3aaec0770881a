import { writeFile } from "node:fs/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { actionBody } from "../../../shared/api/index.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { answer, serve, stopServing } from "./acting-service.ts";
import { ccscale } from "./in-process.ts";

afterEach(stopServing);

const nodes = { names: ["htc-*"] };
const asked = { by: "ann", reason: "quota", dryRun: false };
const who = ["--by", "ann", "--reason", "quota"];

describe("what is asked of the service", () => {
  test.each([
    ["delete-nodes", { kind: "delete", force: false }],
    ["remove-nodes", { kind: "remove", force: false }],
    ["terminate", { kind: "terminate", force: false }],
    ["drain", { kind: "drain", force: false }],
    ["undrain", { kind: "undrain" }],
    ["deallocate", { kind: "deallocate", force: false }],
    ["restart", { kind: "restart", force: false }],
    ["reimage", { kind: "reimage", force: false }],
    ["start", { kind: "start" }],
    ["retry-failed", { kind: "retry-failed" }],
    ["ignore", { kind: "ignore" }],
    ["unignore", { kind: "unignore" }],
    ["keep-alive on", { kind: "keep-alive", on: true }],
    ["keep-alive off", { kind: "keep-alive", on: false }],
  ])("%s", async (command, expected) => {
    const bodies = await serve();
    const { code, stdout } = await ccscale([...command.split(" "), "-N", "htc-*", "--yes", ...who]);
    expect({ code, bodies }).toEqual({ code: 0, bodies: [{ ...expected, nodes, ...asked }] });
    expect(actionBody.safeParse(bodies[0]).success).toBe(true);
    expect(stdout).toContain("2 nodes are deleted");
    expect(stdout).toContain("htc-3  it is keep-alive  keep-alive off, if it may go");
  });

  test("every way to select nodes, and --force", async () => {
    const bodies = await serve();
    await ccscale([
      ...wordsOf("delete-nodes -N a,b -H ip-* -a htc -C node.vm_size=Standard_F* -C ncpus=4"),
      ...["--force", "--yes"],
    ]);
    expect(bodies).toMatchObject([
      {
        force: true,
        reason: "ccscale delete-nodes",
        nodes: {
          names: ["a", "b"],
          hostnames: ["ip-*"],
          nodeArrays: ["htc"],
          constraints: [{ "node.vm_size": "Standard_F*" }, { ncpus: 4 }],
        },
      },
    ]);
    expect(actionBody.safeParse(bodies[0]).success).toBe(true);
  });

  test("names where people type them first, and from a file", async () => {
    const bodies = await serve();
    const file = ownFolder(onTestFinished)("nodes.txt");
    await writeFile(file, "htc-1\nhtc-2, htc-3\n\n");
    expect(await ccscale(["drain", "htc-7", "hpc-*", ...who])).toMatchObject({ code: 0 });
    expect(await ccscale(["keep-alive", "on", "-N", `@${file}`, ...who])).toMatchObject({ code: 0 });
    expect(await ccscale(["drain", `@${file}`, "-N", "viz-1", ...who])).toMatchObject({ code: 0 });
    expect(bodies.map((body) => (body as { nodes: unknown }).nodes)).toEqual([
      { names: ["htc-7", "hpc-*"] },
      { names: ["htc-1", "htc-2", "htc-3"] },
      { names: ["viz-1", "htc-1", "htc-2", "htc-3"] },
    ]);
    await writeFile(file, "\n");
    expect(await ccscale(["drain", "-N", `@${file}`, ...who])).toMatchObject({ code: 2 });
    expect(await ccscale(["drain", "-N", `@${file}.gone`, ...who])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot be read"),
    });
    expect(await ccscale(["drain", ...who])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no nodes"),
    });
    expect(bodies).toHaveLength(3);
  });

  test("a decision may end by itself, after a time or at a moment", async () => {
    const bodies = await serve();
    const beforeSeconds = Date.now() / 1000;
    expect(await ccscale(["keep-alive", "on", "htc-3", "--for", "2d", ...who])).toMatchObject({ code: 0 });
    for (const words of [["drain", "htc-3"], ["ignore", "htc-3"], ["pause"]])
      expect(await ccscale([...words, "--until", "2100-01-01T00:00:00Z", ...who])).toMatchObject({ code: 0 });
    const [kept, ...others] = bodies as { readonly kind: string; readonly untilSeconds: number }[];
    expect(kept?.untilSeconds).toBeGreaterThanOrEqual(Math.floor(beforeSeconds) + 172_800);
    expect(kept?.untilSeconds).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 172_800);
    expect(others.map(({ kind, untilSeconds }) => [kind, untilSeconds])).toEqual(
      ["drain", "ignore", "pause"].map((kind) => [kind, 4_102_444_800]),
    );
    const both = await ccscale(["drain", "htc-3", "--for", "1h", "--until", "2100-01-01", ...who]);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be used with") });
    const rolling = await ccscale(["drain", "htc-3", "--for", "1h", "--rolling", "2", ...who]);
    expect(rolling).toMatchObject({ code: 2, stderr: expect.stringContaining("without --rolling") });
    expect(bodies).toHaveLength(4);
  });

  test("create-nodes, with everything that it takes", async () => {
    const bodies = await serve();
    const { code } = await ccscale([
      ...wordsOf("create-nodes --slots 8 -a htc --vm-size Standard_F4s_v2 --placement-group pg0"),
      ...wordsOf("-C memgb=16 --exclusive --keep-alive --name-format login-%d --attribute Tag=blue"),
      ...wordsOf(
        "--software-configuration slurm.autoscale=true --software-configuration slurm.partition=hpc --strategy scatter",
      ),
      ...who,
    ]);
    expect({ code, bodies }).toEqual({
      code: 0,
      bodies: [
        {
          ...asked,
          kind: "create-nodes",
          slots: 8,
          nodeArray: "htc",
          vmSize: "Standard_F4s_v2",
          placementGroup: "pg0",
          constraints: [{ memgb: 16 }],
          exclusive: true,
          strategy: "scatter",
          keepAlive: true,
          nameFormat: "login-%d",
          nodeAttributes: { Tag: "blue", Configuration: { slurm: { autoscale: true, partition: "hpc" } } },
        },
      ],
    });
    expect(actionBody.safeParse(bodies[0]).success).toBe(true);
  });
});

test("names of new nodes are expanded", async () => {
  const bodies = await serve();
  const { code } = await ccscale(["create-nodes", "--names", "htc-[3,7-8]", "-a", "htc", ...who]);
  expect(code).toBe(0);
  expect(bodies).toMatchObject([{ nodeArray: "htc", names: ["htc-3", "htc-7", "htc-8"] }]);
});

describe("before something is destroyed", () => {
  test("it is said what would be done, and the operator is asked", async () => {
    const bodies = await serve();
    const { code, stdout, stderr } = await ccscale(["delete-nodes", "-N", "htc-*", ...who], ["y\n"]);
    expect(code).toBe(0);
    expect(stderr).toBe("Do it? [y/N] \n");
    expect(bodies).toMatchObject([{ dryRun: true }, { dryRun: false }]);
    expect(stdout.split("\n")[0]).toBe("2 nodes are deleted");
  });

  test.each([["n\n"], [""]])("the answer %j does nothing", async (input) => {
    const bodies = await serve();
    const { code, stderr } = await ccscale(["delete-nodes", "-N", "htc-*"], [input]);
    expect(code).toBe(1);
    expect(stderr).toContain("Nothing was done.");
    expect(bodies).toMatchObject([{ dryRun: true }]);
  });

  test("what does no harm is not asked about", async () => {
    const bodies = await serve();
    expect((await ccscale(["start", "-N", "htc-*"])).code).toBe(0);
    expect(bodies).toMatchObject([{ dryRun: false }]);
  });

  test("--dry-run asks nobody and does nothing", async () => {
    const bodies = await serve();
    expect((await ccscale(["delete-nodes", "-N", "htc-*", "--dry-run"])).code).toBe(0);
    expect(bodies).toMatchObject([{ dryRun: true }]);
  });

  test.each([[["delete-nodes"]], [["keep-alive", "on"]], [["start", "--yes"]]])(
    "%j without a selection is wrong usage, and never means all nodes",
    async (argv) => {
      const bodies = await serve();
      const { code, stderr } = await ccscale(argv);
      expect(code).toBe(2);
      expect(stderr).toContain("no nodes, expected at least one of --node-name");
      expect(bodies).toEqual([]);
    },
  );

  test("retry-failed needs no selection: it is for failed nodes only", async () => {
    const bodies = await serve();
    expect((await ccscale(["retry-failed", ...who])).code).toBe(0);
    expect(bodies).toEqual([{ kind: "retry-failed", ...asked }]);
    expect(actionBody.safeParse(bodies[0]).success).toBe(true);
    for (const kind of ["delete", "drain", "start"])
      expect(actionBody.safeParse({ ...asked, kind }).success).toBe(false);
  });

  test.each([
    ["keep-alive"],
    ["keep-alive", "-N", "htc-1"],
    ["keep-alive", "of", "-N", "htc-1"],
    ["keep-alive", "-N", "htc-1", "on"],
  ])("%s %s %s %s: on or off is missing", async (...argv) => {
    const bodies = await serve();
    const { code, stderr } = await ccscale(argv);
    expect({ code, bodies }).toEqual({ code: 2, bodies: [] });
    expect(stderr).toContain('expected "on" or "off" after keep-alive');
  });

  test.each([
    ["neither count nor slots", ["create-nodes"], "expected one of --count, --slots and --names"],
    ["both", ["create-nodes", "-n", "1", "-s", "2"], "expected one of --count, --slots and --names"],
    [
      "names that are no list",
      ["create-nodes", "--names", "htc-[3", "-a", "htc"],
      "expected names such as htc-[3,7-9]",
    ],
    ["no number", ["create-nodes", "-n", "many"], "expected a whole number, 1 or above"],
    [
      "an attribute without a value",
      ["create-nodes", "-n", "1", "--attribute", "x"],
      'expected "name=value"',
    ],
  ])("create-nodes with %s is wrong usage", async (_, argv, words) => {
    const { code, stderr } = await ccscale(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe("what comes of it", () => {
  test("a refusal ends with 1, with every reason and every node", async () => {
    await serve({
      answer: { ...answer, outcome: "refused", actions: [], problems: ["every node is keep-alive"] },
    });
    const { code, stdout, stderr } = await ccscale(["delete-nodes", "-N", "htc-3", "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "Refused:\n  - every node is keep-alive\nThe list above shows what to do about each node.",
    );
    expect(stdout).toContain("htc-3  it is keep-alive");
    expect(stdout).not.toContain(answer.summary);
  });

  const kept = { node: "htc-3", why: "it is keep-alive", next: "keep-alive off, if it may go" };
  const refusing = { ...answer, skipped: [{ ...kept, refused: true }] };
  const unknown = { node: "nope-1", why: "no node of the cluster has this name", next: "Check the name." };
  const named = {
    ...answer,
    skipped: [
      { ...kept, refused: false },
      { ...unknown, refused: true },
    ],
  };
  const none = { ...refusing, outcome: "nothing-to-do", summary: "Nothing to do.", actions: [] } as const;

  test.each([
    ["some were refused", refusing, [], 1, "Refused for 1 of 3 nodes"],
    ["some were refused, as JSON", refusing, ["--format", "json"], 1, "Refused for 1 of 3 nodes"],
    ["some were refused, and the rest is done", refusing, ["--wait", "5"], 1, "Refused for 1 of 3 nodes"],
    ["some would be refused", refusing, ["--dry-run"], 1, "Refused for 1 of 3 nodes"],
    ["all were refused", none, [], 1, "Refused for 1 of 1 node"],
    ["a name is not known", named, [], 1, "  - nope-1: no node of the cluster has this name\n"],
    ["some are so already", { ...refusing, skipped: [{ ...kept, refused: false }] }, [], 0, ""],
    ["all are so already", { ...none, skipped: [{ ...kept, refused: false }] }, [], 0, ""],
    [
      "the rest was not asked for",
      { ...answer, problems: ["too many requests"] },
      [],
      1,
      "  - too many requests",
    ],
  ])("when %s, the exit code tells", async (_, given, flags, expected, words) => {
    await serve({ answer: given });
    const { code, stdout, stderr } = await ccscale(["delete-nodes", "-N", "htc-*", "--yes", ...flags]);
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(words) });
    expect(stderr === "").toBe(expected === 0);
    expect(stdout).toContain("it is keep-alive");
  });

  test.each([
    [["-N", "nobody"], '"ccscale nodes -N nobody"'],
    [["-N", "no*", "-a", "htc,hpc"], `"ccscale nodes -N 'no*' -a htc,hpc"`],
    [["-C", "node.vm_size=F*"], `"ccscale nodes -C '{"node.vm_size":"F*"}'"`],
    [["-H", "it's"], '"ccscale nodes" with the same selection'],
  ])("who selects no node with %j is sent to the list of such nodes", async (selection, next) => {
    await serve({
      problem: { title: "Nothing was done", problems: ["nodes: no node of the cluster is selected"] },
    });
    for (const command of [["drain"], ["delete-nodes"], ["start"], ["keep-alive", "on"]]) {
      const { code, stderr } = await ccscale([...command, ...selection]);
      expect(code).toBe(1);
      expect(stderr).toContain("no node of the cluster is selected");
      expect(stderr).toContain(next);
      expect(stderr).not.toContain("ccscale status");
    }
  });

  test("as JSON it is the whole answer", async () => {
    await serve();
    const { stdout } = await ccscale(["start", "-N", "htc-*", "--format", "json"]);
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  test("--wait follows it to its end", async () => {
    await serve({ states: ["visible"] });
    const { code, stdout } = await ccscale(["start", "-N", "htc-*", "--wait"]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("shutdown-nodes a-1: visible");
  });

  test("--wait fails when it failed", async () => {
    await serve({ states: ["failed"] });
    const { code, stderr } = await ccscale(["start", "-N", "htc-*", "--wait", "5"]);
    expect(code).toBe(1);
    expect(stderr).toContain("  - shutdown-nodes failed: no such node");
  });

  test("--wait does not wait for ever", async () => {
    await serve({ states: Array.from({ length: 50 }, () => "sent") });
    const { code, stderr } = await ccscale(["start", "-N", "htc-*", "--wait", "0.05"]);
    expect(code).toBe(1);
    expect(stderr).toContain("a-1 is sent");
    expect(stderr).toContain("It continues in the service");
  });
});
