import { describe, expect, test } from "vitest";
import { parseConstraints, plan, type TargetOutcome } from "../../../../shared/engine/index.ts";
import { describeConstraint } from "../../../../shared/views/explain/constraint-words.ts";
import {
  jobSentences,
  nearestFirst,
  targetSentences,
} from "../../../../shared/views/explain/reason-words.ts";
import { array, bucket, cluster, input, job, node } from "../../engine/tiny.ts";

const sizes = [bucket({ available: 1 }), bucket({ vcpus: 120, vmSize: "Standard_HB120rs_v3", available: 1 })];
const world = cluster({ nodeArrays: [array({ buckets: sizes })] });

function sentences(json: unknown, fields: Parameters<typeof job>[2] = {}): readonly string[] {
  const [outcome] = plan(input({ cluster: world, jobs: [job("j", json, fields)] })).jobs;
  return outcome === undefined ? [] : jobSentences(outcome);
}

describe("sentences about a target", () => {
  const bucketName = { nodeArray: "htc", vmSize: "Standard_F4", placementGroup: null };

  test.each([
    [
      1,
      1,
      "1 of its nodes is drained and does not count; 1 more is wanted, and the bucket limit leaves too few.",
    ],
    [
      2,
      1,
      "2 of its nodes are drained and do not count; 1 more is wanted, and the bucket limit leaves too few.",
    ],
    [
      1,
      3,
      "1 of its nodes is drained and does not count; 3 more are wanted, and the bucket limit leaves too few.",
    ],
  ])("%i drained, %i more wanted", (left, asked, sentence) => {
    const reason = {
      code: "NodesTakeNoJobs",
      bucket: bucketName,
      constraint: null,
      limit: "bucket",
      asked,
      left,
    };
    const target = { name: "login", asked: 4, granted: 2, unit: "nodes", requestSet: "s", reasons: [reason] };
    const [, ...sentences] = targetSentences(target as unknown as TargetOutcome);
    expect(
      sentences.map((text) =>
        text.replace(/, and .* leaves too few/, ", and the bucket limit leaves too few"),
      ),
    ).toEqual([expect.stringContaining(sentence)]);
  });
});

describe("sentences about a job", () => {
  test("says of a job that got all what it got", () => {
    expect(sentences({ ncpus: 1 })).toEqual(['Job "j" got 1 of 1 places.']);
  });

  test("names the largest size when no node is large enough", () => {
    expect(sentences({ ncpus: 130 })).toEqual([
      'Job "j" waits: it got none of 1 places.',
      expect.stringMatching(
        /htc\/Standard_F4, htc\/Standard_HB120rs_v3: too small, the job asks for 130 "ncpus" per place and the largest size there, htc\/Standard_HB120rs_v3, has 120\./,
      ),
    ]);
  });

  test("writes memory in the unit of the resource", () => {
    expect(sentences({ memgb: 4096 })[1]).toMatch(
      /asks for 4096g "memgb" .* has 240g\. It fits when it asks for 240g or less\./,
    );
  });

  test("adds up the nodes that take no jobs", () => {
    const nodes = [node("a"), node("b"), node("c", { vmSize: "Standard_F8" })];
    const buckets = [bucket({ available: 0 }), bucket({ vcpus: 8, available: 0 })];
    const full = cluster({ nodeArrays: [array({ buckets })], nodes });
    const closedNodeIds = nodes.map(({ nodeId }) => nodeId);
    const [outcome] = plan(input({ cluster: full, closedNodeIds, jobs: [job("j", { ncpus: 1 })] })).jobs;
    expect(outcome && jobSentences(outcome)[1]).toContain("take no jobs, because they are drained: 3;");
  });

  test("names the limit that stopped the rest of a job", () => {
    const [first, ...reasons] = sentences({ ncpus: 4 }, { iterations: 100 });
    expect(first).toBe('Job "j" got 31 of 100 places, the rest waits.');
    expect(reasons).toEqual([
      expect.stringMatching(
        /existing nodes are full, and what CycleCloud still offers of the VM size leaves 0 new nodes/,
      ),
    ]);
  });

  test.each([
    ["an unknown resource", { licences: 1 }, /nodes have no resource "licences".*default_resources/],
    [
      "a wrong option",
      { "node.vm_size": "Standard_E4" },
      /"node.vm_size" is Standard_F4 or Standard_HB120rs_v3, wanted Standard_E4/,
    ],
    ["never", { never: "user is denied" }, /^Refused everywhere: user is denied\.$/],
    [
      "never with a full stop",
      { never: 'Queue "htc" is closed. ' },
      /^Refused everywhere: Queue "htc" is closed\.$/,
    ],
    [
      "a resource of which no size has any",
      { ngpus: 1 },
      /: no size there has any "ngpus", and the job asks for 1 per place\.$/,
    ],
    ["no placement group", { "in-a-placement-group": true }, /not in a placement group, which the job wants/],
    [
      "or",
      { or: [{ ngpus: 1 }, { "node.nodearray": "gpu" }] },
      /none of the alternatives fits \(ngpus >= 1 or node.nodearray = gpu\)/,
    ],
    [
      "xor",
      { xor: [{ ncpus: 1 }, { ncpus: 2 }] },
      /2 of the alternatives fit, wanted exactly one of ncpus >= 1, ncpus >= 2\./,
    ],
    ["not", { not: { ncpus: 1 } }, /excluded by the job \(not ncpus >= 1\)/],
    [
      "an undefined pool",
      { "shared-consumable-constraint": { "resource-name": "lic", requested: 1 } },
      /Nobody says how much the shared pool "lic" holds/,
    ],
    [
      "an empty pool",
      { "shared-consumable-constraint": { "resource-name": "lic", "current-value": 1, requested: 2 } },
      /shared pool "lic" has 1 left, 2 wanted/,
    ],
    [
      "another shared value",
      { "shared-non-consumable-constraint": { "resource-name": "v", "current-value": "1", requested: "2" } },
      /"v" is 1, wanted 2/,
    ],
  ])("words %s", (_, json, pattern) => {
    expect(sentences(json)[1]).toMatch(pattern);
  });

  test("tells of buckets that lack room before those that will never take the job", () => {
    const other = cluster({
      nodeArrays: [array({ buckets: sizes }), array({ name: "gpu", buckets: [bucket({ available: 1 })] })],
    });
    const wanted = [job("j", { ncpus: 4, "node.nodearray": "gpu" }, { iterations: 9 })];
    const [outcome] = plan(input({ cluster: other, jobs: wanted })).jobs;
    expect(outcome && jobSentences(outcome).slice(1)).toEqual([
      expect.stringMatching(/^gpu\/Standard_F4: existing nodes are full/),
      expect.stringMatching(
        /^htc\/Standard_F4, htc\/Standard_HB120rs_v3: "node.nodearray" is htc, wanted gpu/,
      ),
    ]);
    expect(nearestFirst(outcome?.reasons ?? [])[0]?.code).toBe("NoCapacity");
  });

  test("says that nothing was asked", () => {
    expect(sentences({ ncpus: 1 }, { iterations: 0 })[1]).toBe("The job asks for no slots and no nodes.");
  });
});

describe("a constraint in short", () => {
  test.each([
    [{ ncpus: 4 }, "ncpus >= 4"],
    [{ "node.vm_size": ["a", "b"] }, "node.vm_size = a or b"],
    [{ or: [{ ncpus: 4 }, { ncpus: 8 }] }, "ncpus >= 4 or ncpus >= 8"],
    [
      { or: [{ and: [{ ncpus: 4 }, { ngpus: 1 }] }, { ncpus: 8 }] },
      "(ncpus >= 4 and ngpus >= 1) or ncpus >= 8",
    ],
    [{ xor: [{ ncpus: 4 }, { ncpus: 8 }] }, "exactly one of ncpus >= 4, ncpus >= 8"],
    [{ not: { or: [{ ncpus: 4 }, { ngpus: 1 }] } }, "not (ncpus >= 4 or ngpus >= 1)"],
    [{ "in-a-placement-group": false }, "in no placement group"],
    [{ exclusive: true }, "exclusive"],
  ])("%j", (json, words) => {
    const parsed = parseConstraints(json);
    expect(parsed.ok && parsed.constraints.map(describeConstraint)).toEqual([words]);
  });
});
