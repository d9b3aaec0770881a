import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { Comparison } from "../../../clients/cli/migrate/compare.ts";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import {
  type ClusterNode,
  defaultSettings,
  defineJob,
  type NodeHistory,
  type Plan,
  plan,
} from "../../../shared/engine/index.ts";
import { cases } from "../../support/cases.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { jobFor, worldWith } from "../../support/world.ts";
import { archiveOf } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

const small = bucketOf({ pricePerHourUsd: 1 });
const large = bucketOf({
  bucketId: "bucket-f8",
  vmSize: "Standard_F8s_v2",
  vm: { ...small.vm, vcpuCount: 8, vcpuQuotaCount: 8 },
  pricePerHourUsd: 3,
});
const full: number = Date.parse("2026-11-22T10:00:00Z") / 1000;

/** A cluster that somebody else scales, beside plans that nobody sends. Jobs run as soon as there is a node. */
class Shadow {
  readonly comparison = new Comparison();
  nowSeconds = full;
  nodes: ClusterNode[] = [];
  /** Four cores each. */
  jobs: string[] = [];
  idleSeconds = 300;
  made: Plan | undefined;
  #history: readonly NodeHistory[] = [];
  #serial = 0;

  look(): Plan {
    const { nodes, nowSeconds } = this;
    const { jobs, busy } = this.#placed();
    const input = {
      nowSeconds,
      cluster: clusterOf({ nodeArrays: [nodeArrayOf({ buckets: [small, large] })], nodes }),
      jobs: jobs.map((name, index) =>
        defineJob({
          name,
          constraints: [],
          iterations: 1,
          executingHostnames: busy.slice(index, index + 1),
          exclusive: true,
        }),
      ),
      schedulerNodes: [],
      pending: [],
      leavingNodeIds: [],
      history: this.#history,
      lastPassSeconds: nowSeconds,
      settings: { ...defaultSettings, idleTimeoutSeconds: { default: this.idleSeconds, byNodeArray: {} } },
    };
    this.made = plan(input);
    this.comparison.see({ input, plan: this.made });
    this.#history = [
      ...new Map([...this.#history, ...this.made.history].map((row) => [row.nodeId, row])).values(),
    ];
    return this.made;
  }

  /** The first jobs run on the first nodes. */
  #placed() {
    return { jobs: this.jobs, busy: this.nodes.flatMap(({ hostname }) => hostname ?? []) };
  }

  after(seconds: number): this {
    this.nowSeconds += seconds;
    return this;
  }

  buy(count: number, vmSize = "Standard_F4s_v2"): this {
    for (let index = 0; index < count; index += 1) {
      this.#serial += 1;
      this.nodes = [...this.nodes, nodeOf({ name: `htc-${this.#serial}`, vmSize })];
    }
    return this;
  }

  drop(names: readonly string[]): this {
    this.nodes = this.nodes.filter(({ name }) => !names.includes(name));
    return this;
  }

  /** Does what the newest plan says. */
  obey(): this {
    for (const { count, vmSize } of this.made?.create ?? []) this.buy(count, vmSize);
    return this.drop((this.made?.retire ?? []).map(({ name }) => name));
  }

  end() {
    this.comparison.end(this.nowSeconds);
    return this.comparison.hours();
  }
}

const causesOf = (hours: ReturnType<Shadow["end"]>) =>
  hours.flatMap(({ reasons }) => reasons.map(({ cause }) => cause));

describe("what two autoscalers decide", () => {
  test("the same decision, taken within ten minutes, is no difference, also across a full hour", () => {
    const shadow = new Shadow();
    shadow.nowSeconds = full + 3_590;
    shadow.jobs = ["a"];
    shadow.look();
    shadow.after(120).obey().look();
    shadow.after(10);
    expect(shadow.end()).toEqual([
      {
        atSeconds: full,
        they: { created: 1, deleted: 0 },
        we: { created: 1, deleted: 0 },
        moreNodes: 0,
        moreUsd: 0,
        unpricedNodes: 0,
        reasons: [],
      },
    ]);
  });

  test.each<
    [string, (shadow: Shadow) => void, string, { nodes: number; usd: number; they: string; we: string }]
  >([
    [
      "a node that they buy half an hour later",
      (shadow) => {
        shadow.jobs = ["a"];
        shadow.look();
        shadow.after(1_800).buy(1).look();
      },
      "they bought 1 htc/Standard_F4s_v2 for job a later",
      { nodes: 0.5, usd: 0.5, they: "+1 -0", we: "+1 -0" },
    ],
    [
      "a job that is gone before they bought for it",
      (shadow) => {
        shadow.jobs = ["a"];
        shadow.look();
        shadow.jobs = [];
        shadow.after(900).look();
      },
      "we want 1 htc/Standard_F4s_v2 for job a, they bought none",
      { nodes: 0.25, usd: 0.25, they: "+0 -0", we: "+1 -0" },
    ],
    [
      "nodes that nothing needs",
      (shadow) => {
        shadow.look();
        shadow.after(60).buy(2).look();
        shadow.after(900).look();
        shadow.after(900).drop(["htc-1", "htc-2"]).look();
      },
      "they bought 2 htc/Standard_F4s_v2 that no job or target needs",
      { nodes: -1, usd: -1, they: "+2 -2", we: "+0 -0" },
    ],
    [
      "a node that they buy before a job needs it",
      (shadow) => {
        shadow.look();
        shadow.buy(1).after(60).look();
        shadow.jobs = ["a"];
        shadow.after(1_800).look();
      },
      "they bought 1 htc/Standard_F4s_v2 earlier",
      { nodes: -0.5, usd: -0.5, they: "+1 -0", we: "+1 -0" },
    ],
    [
      "another size",
      (shadow) => {
        shadow.jobs = ["a"];
        shadow.look();
        shadow.after(60).buy(1, "Standard_F8s_v2").look();
        shadow.after(1_800).look();
      },
      "they bought 1 htc/Standard_F8s_v2, we want htc/Standard_F4s_v2",
      { nodes: 0, usd: -1, they: "+1 -0", we: "+1 -0" },
    ],
    [
      "idle nodes that they keep longer",
      (shadow) => {
        shadow.buy(1).look();
        shadow.after(301).look();
        shadow.after(1_800).drop(["htc-1"]).look();
      },
      "they keep 1 htc/Standard_F4s_v2 longer",
      { nodes: -0.5, usd: -0.5, they: "+0 -1", we: "+0 -1" },
    ],
    [
      "a node that they kept, and that runs a job again",
      (shadow) => {
        shadow.buy(1).look();
        shadow.after(301).look();
        shadow.jobs = ["a"];
        shadow.after(1_800).look();
      },
      "they kept 1 htc/Standard_F4s_v2, which was used again",
      { nodes: -0.5, usd: -0.5, they: "+0 -0", we: "+0 -1" },
    ],
    [
      "an idle node that they delete long before our time-out",
      (shadow) => {
        shadow.idleSeconds = 3_000;
        shadow.jobs = ["a"];
        shadow.buy(1).look();
        shadow.jobs = [];
        shadow.look();
        shadow.after(1_200).drop(["htc-1"]).look();
      },
      "they deleted 1 htc/Standard_F4s_v2 earlier",
      { nodes: 0.5, usd: 0.5, they: "+0 -1", we: "+0 -1" },
    ],
    [
      "a node that goes under its job",
      (shadow) => {
        shadow.jobs = ["a"];
        shadow.buy(1).look();
        shadow.jobs = [];
        shadow.after(60).drop(["htc-1"]).look();
      },
      "1 htc/Standard_F4s_v2 went while booting or needed: deleted, or taken by Azure",
      { nodes: 0, usd: 0, they: "+0 -1", we: "+0 -0" },
    ],
  ])("%s", (_, happens, sentence, wanted) => {
    const shadow = new Shadow();
    happens(shadow);
    const hours = shadow.end();
    expect(hours.flatMap(({ reasons }) => reasons.map((reason) => reason.sentence))).toEqual([sentence]);
    const [hour] = hours;
    expect(hour?.moreNodes).toBeCloseTo(wanted.nodes, 1);
    expect(hour?.moreUsd).toBeCloseTo(wanted.usd, 1);
    const inWords = (side: "they" | "we") => `+${hour?.[side].created} -${hour?.[side].deleted}`;
    expect([inWords("they"), inWords("we")]).toEqual([wanted.they, wanted.we]);
  });

  test("a difference counts in each hour that it lasts", () => {
    const shadow = new Shadow();
    shadow.nowSeconds = full + 1_800;
    shadow.look();
    shadow.buy(1).after(0).look();
    shadow.after(7_200).look();
    expect(shadow.end().map(({ atSeconds, moreUsd }) => [(atSeconds - full) / 3_600, moreUsd])).toEqual([
      [0, -0.5],
      [1, -1],
      [2, -0.5],
    ]);
  });

  test("property: whoever does what the plans say differs in nothing", () => {
    const step = fc.record({
      jobs: fc.integer({ min: 0, max: 6 }),
      seconds: fc.integer({ min: 1, max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const shadow = new Shadow();
        shadow.look();
        for (const { jobs, seconds } of steps) {
          shadow.jobs = Array.from({ length: jobs }, (_, index) => `job-${index}`);
          shadow.look();
          shadow.obey().after(seconds);
        }
        shadow.look();
        const hours = shadow.end();
        expect(causesOf(hours)).toEqual([]);
        for (const { they, we, moreNodes, moreUsd } of hours) {
          expect(they).toEqual(we);
          expect([moreNodes, moreUsd]).toEqual([0, 0]);
        }
      }),
      cases(150),
    );
  });
});

describe("ccscale migrate compare", () => {
  const folder = ownFolder(afterEach);
  async function recorded(readOnly: boolean): Promise<void> {
    const nodeArrays = [nodeArrayOf({ buckets: [small] })];
    const world = worldWith({ nodeArrays });
    world.configure({ cycle: { readOnly } });
    await world.post([jobFor(2)]);
    await world.round();
    if (readOnly) {
      // The other autoscaler buys one node more than the job needs.
      await world.cycleCloud.createNodes({
        requestId: "theirs",
        sets: [{ nodeArray: "htc", vmSize: small.vmSize, placementGroup: null, count: 3, names: [] }],
      });
      world.cycleCloud.settle();
    }
    world.advance(60);
    await world.round();
    world.advance(1_200);
    await world.post([jobFor(2)]);
    await world.round();
    await archiveOf(world, folder());
  }

  test("a recorded world: what they bought, what we wanted, and the node that is one too many", async () => {
    await recorded(true);
    const { code, stdout, stderr } = await ccscale(
      wordsOf(`migrate compare --offline ${folder()} --format json`),
    );
    expect([code, stderr]).toEqual([0, ""]);
    const { total, hours, plans, sent, notWhole } = JSON.parse(stdout);
    expect({ they: total.they, we: total.we, sent, notWhole }).toEqual({
      they: { created: 3, deleted: 0 },
      we: { created: 2, deleted: 0 },
      sent: 0,
      notWhole: 0,
    });
    expect(plans).toBeGreaterThan(1);
    expect(total.moreNodes).toBeCloseTo(-1_200 / 3_600, 2);
    // By the shipped list of prices.
    expect(total.moreUsd / total.moreNodes).toBeCloseTo(0.194, 3);
    expect(hours.at(-1).reasons).toEqual([
      {
        cause: "they-bought-for-nothing",
        nodes: 1,
        sentence: "they bought 1 htc/Standard_F4s_v2 that no job or target needs",
      },
    ]);
    const table = await ccscale(["migrate", "compare", "--offline", folder()]);
    expect(table.stdout).toMatch(/HOUR +THEY +WE +NODES +USD +WHY/);
    expect(table.stdout).toMatch(
      /they \+3 -0, we \+2 -0; we would have had -0\.3 node-hours and paid -0\.06 USD\./,
    );
  });

  test("plans that were sent are nothing to compare, and it says so", async () => {
    await recorded(false);
    const { code, stderr } = await ccscale(["migrate", "compare", "--offline", folder()]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(
      /^error: Nothing to compare: no plan of that time was made while the cluster was held/,
    );
  });
});
