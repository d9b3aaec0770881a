import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readJobs } from "../../../clients/cli/commands/push.ts";
import { fromScalelib } from "../../../clients/cli/from-scalelib.ts";
import { parseConstraints } from "../../../shared/engine/index.ts";
import { parseDemand } from "../../../shared/messages/index.ts";

const hostgroup = (constraints: unknown, group: string | null = null) => ({
  "hostgroup-and-pg": {
    hostgroup: { hostgroup: { hostgroup: { name: "@mpi", constraints: [] } } },
    "placement-group": group,
    "seq-no": 0,
    constraints,
  },
});

/** As it is printed where two names mean one resource. */
const aliasOf = (alias: string, resource: string) => ({
  class: "hpc.autoscale.constraints.ReadOnlyAlias",
  [alias]: resource,
});

const constraintsRead = (constraints: unknown) =>
  (fromScalelib({ constraints }) as { readonly constraints: unknown }).constraints;

describe("what azpbs and azge print", () => {
  test.each([
    [
      "in no group is outside of all groups",
      null,
      [{ "node.nodearray": ["htc"] }, { "in-a-placement-group": false }],
    ],
    ["in a group is in that one", "pg0", [{ "node.nodearray": ["htc"] }, { "node.placement_group": "pg0" }]],
  ])("a hostgroup %s, and what its constraints say, below an or too", (_, group, all) => {
    const asked = hostgroup([{ "node.nodearray": ["htc"] }], group);
    expect(constraintsRead([{ or: [asked, { ncpus: 1 }] }, asked])).toEqual([
      { or: [{ and: all }, { ncpus: 1 }] },
      { and: all },
    ]);
  });

  test("a hostgroup in another form is refused, not passed over", () => {
    expect(parseConstraints(constraintsRead([hostgroup("none")]))).toMatchObject({ ok: false });
  });

  test("the class that stands for a placement group is read", () => {
    expect(constraintsRead([{ class: "InAPlacementGroup" }])).toEqual([{ "in-a-placement-group": true }]);
  });

  test("a second name for a resource that is asked for is left out", () => {
    expect(constraintsRead([{ m_mem_free: "size::4.0g" }, aliasOf("mfree", "m_mem_free")])).toEqual([
      { m_mem_free: "size::4.0g" },
      {},
    ]);
    expect(constraintsRead([{ slots: 1, ...aliasOf("s", "slots"), gpus: 1 }])).toEqual([
      { slots: 1, gpus: 1 },
    ]);
  });

  test("a second name for a resource that nothing asks for wants a node that has it, and takes nothing", () => {
    const has = { or: [{ disk: 0 }, { disk: "*" }, { disk: [true, false] }] };
    expect(constraintsRead([aliasOf("d", "disk")])).toEqual([has]);
    expect(constraintsRead([{ slots: 1, ...aliasOf("d", "disk") }])).toEqual([{ and: [{ slots: 1 }, has] }]);
    expect(constraintsRead([{ disk: 5 }, { or: [aliasOf("d", "disk"), { ncpus: 1 }] }])).toEqual([
      { disk: 5 },
      { or: [has, { ncpus: 1 }] },
    ]);
  });

  test("whom a queue lets in is no resource of a node, wherever it stands among the others", () => {
    for (const key of ["user", "xuser", "project", "xproject"].map(
      (what) => `gridengine-${what}-constraint`,
    )) {
      const read = constraintsRead([
        hostgroup(
          [
            { slots: 1, [key]: "ann" },
            { [key]: null, gpus: 1 },
          ],
          "pg0",
        ),
      ]);
      expect(read).toEqual([{ and: [{ slots: 1 }, { gpus: 1 }, { "node.placement_group": "pg0" }] }]);
    }
  });

  test.each(["azge-jobs.json", "azpbs-jobs.json"])("every job of %s is read", async (file) => {
    const text = await readFile(new URL(`./fixtures/${file}`, import.meta.url), "utf8");
    const read = readJobs(text, "json");
    if ("problem" in read) throw new Error(read.problem);
    const demand = { version: 1, kind: "snapshot", cluster: "a", source: "b", sequence: 1, ...read };
    const parsed = parseDemand({ ...demand, sentAt: "2026-11-22T10:00:00Z" });
    if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
    expect(parsed.setAside).toEqual([]);
    const wanted = JSON.parse(text) as readonly { readonly name: string }[];
    expect(parsed.message.jobs.map((job) => job.name)).toEqual(wanted.map((job) => job.name));
    expect(JSON.stringify(parsed.message.jobs)).not.toMatch(/class|gridengine|hostgroup|warnings/);
    const left = (wanted as readonly { readonly "iterations-remaining"?: number }[]).map(
      (job) => job["iterations-remaining"],
    );
    expect(parsed.message.jobs.map(({ iterations }) => iterations)).toEqual(left);
  });

  test.each([
    [3_600, 3_600],
    ["3600", 3_600],
    ["90:00", 5_400],
    ["01:30:00", 5_400],
    ["INFINITY", undefined],
    ["0", undefined],
    ["1:2:3:4", undefined],
    [null, undefined],
  ])("the hard run time that azge prints, %j, is the run time", (h_rt, runtimeSeconds) => {
    const metadata = { gridengine: { resources: { h_rt, slots: 2 } }, job_state: "qw" };
    const read = fromScalelib({ name: "1", metadata }) as { readonly runtimeSeconds?: number };
    expect(read.runtimeSeconds).toBe(runtimeSeconds);
  });

  test("a job's own details come before those of its metadata", () => {
    const metadata = { walltime: "01:00:00", owner: "ada", project: "fluids", queue: "workq" };
    const told = { runtimeSeconds: 3_600, user: "ada", account: "fluids", queue: "workq" };
    expect(fromScalelib({ name: "1", metadata })).toMatchObject({ name: "1", ...told });
    expect(fromScalelib({ name: "1", metadata, user: "bob" })).toMatchObject({ ...told, user: "bob" });
    expect(fromScalelib({ name: "1", metadata: "none" })).not.toHaveProperty("user");
  });
});
