import { describe, expect, test } from "vitest";
import { clusterStatus, listJobs, lookAhead } from "../../../../shared/views/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { cluster, configOf, createWorld, jobFor, type World, worldWith } from "../../../support/world.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ [`r${index}`]: 1 }));

/** A cluster whose jobs may have ten parts, and a running and a waiting job of twenty. */
function worldOfLargeJobs(): World {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const world = worldWith({ nodes });
  const config = configOf({});
  const engine = { ...config.engine, demandCaps: { maxConstraintParts: 10 } };
  world.ports.configs.put({ ...config, engine });
  return world;
}

const large = { constraints: { xor: names(20) } };
const demand = [
  { name: "waits", ...large },
  { name: "runs", ...large, executingHostnames: ["host-htc-1"] },
];

const linesOf = ({ log }: World, event: string) => log.filter((line) => line.startsWith(`warn ${event} `));

describe("demand beyond a cap", () => {
  test("is in the summary, the status, the jobs and the log, which says it once", async () => {
    const world = worldOfLargeJobs();
    for (let round = 0; round < 3; round++) {
      await world.post(demand);
      await world.round();
      world.advance(60);
    }
    const heldBack = [
      { cap: "max-constraint-parts", limit: 10, asked: 21, jobs: 1, hosts: 0, first: "waits" },
    ];
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.plans[0]).toMatchObject({ heldBack });
    expect(status?.problems).toContainEqual(
      expect.objectContaining({
        kind: "demand-held-back",
        text: expect.stringMatching(
          /^Cap max_constraint_parts \(10; 21 asked for\) holds back 1 job, "waits" first\./,
        ),
      }),
    );
    expect(status?.waiting[0]?.why.join(" ")).toContain("max_constraint_parts");
    expect(linesOf(world, "demand-held-back")).toHaveLength(1);
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("no outlook");
    const listed = listJobs(outlook, { state: "waiting", limit: 10 });
    expect(JSON.stringify(listed)).toContain('"reasonCode":"DemandCapReached"');
  });

  test("takes no node from a job that runs, however long it stays", async () => {
    const world = worldOfLargeJobs();
    for (let round = 0; round < 20; round++) {
      await world.post(demand);
      await world.round();
      world.cycleCloud.settle();
      world.advance(60);
    }
    expect(world.cycleCloud.nodes.map(({ name }) => name)).toEqual(["htc-1"]);
  });
});

describe("warnings of a plan", () => {
  test("are logged once for each kind, with how many there are, until they change", async () => {
    const world = createWorld();
    const post = async (hosts: number) => {
      const nodes = Array.from({ length: hosts }, (_, index) => ({
        hostname: `host-${index}`,
        resources: { ccnodeid: `gone-${index}` },
      }));
      await world.post([jobFor(1)], { nodes });
      await world.round();
      world.advance(30);
    };
    for (const hosts of [980, 980, 979]) await post(hosts);
    const lines = linesOf(world, "plan-warning");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('"count":980');
    expect(lines[0]).toContain('"subjects":"host-0, host-1, host-2, host-3, host-4"');
  });
});
