import { describe, expect, test } from "vitest";
import { fromScalelib } from "../../../clients/cli/from-scalelib.ts";
import { parseConstraints } from "../../../shared/engine/index.ts";

const hostgroup = (constraints: unknown, group: string | null = null) => ({
  "hostgroup-and-pg": {
    hostgroup: { hostgroup: { hostgroup: { name: "@mpi", constraints: [] } } },
    "placement-group": group,
    "seq-no": 0,
    constraints,
  },
});

describe("what azpbs and azge print", () => {
  test("of an array that is half done, the rest counts", () => {
    const job = { name: "1", iterations: 10, "iterations-remaining": 4, constraints: [] };
    expect(fromScalelib(job)).toEqual({ name: "1", iterations: 4, constraints: [] });
    expect(fromScalelib({ name: "2", iterations: 10 })).toEqual({ name: "2", iterations: 10 });
  });

  test.each([
    ["in no group", null, [{ "node.nodearray": ["htc"] }]],
    ["in a group", "pg0", [{ "node.nodearray": ["htc"] }, { "node.placement_group": "pg0" }]],
  ])("a hostgroup %s is what its constraints say, below an or too", (_, group, all) => {
    const asked = hostgroup([{ "node.nodearray": ["htc"] }], group);
    const read = fromScalelib({ name: "1", constraints: [{ or: [asked, { ncpus: 1 }] }, asked] });
    expect(read).toEqual({ name: "1", constraints: [{ or: [{ and: all }, { ncpus: 1 }] }, { and: all }] });
  });

  test("a hostgroup in another form is refused, not passed over", () => {
    const { constraints } = fromScalelib({ constraints: [hostgroup("none")] }) as { constraints: unknown };
    expect(parseConstraints(constraints)).toMatchObject({ ok: false });
  });

  test("the class that stands for a placement group is read", () => {
    expect(fromScalelib({ constraints: [{ class: "InAPlacementGroup" }] })).toEqual({
      constraints: [{ "in-a-placement-group": true }],
    });
  });
});
