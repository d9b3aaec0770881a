import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { type NodeView, problemSchema, type Route, routes } from "../../../shared/api/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { asked, happen, type Situation, situations } from "../../shared/views/explain/waiting-situations.ts";
import { cluster, jobFor } from "../../support/world.ts";
import { handlers } from "./handlers.ts";
import { apiOf, type Fields, type RouteId, routeOf } from "./routes.ts";

const api = apiOf(handlers, cluster);

/** A cluster with nodes that run jobs, are idle or booting, jobs that wait, plans, operations and a rejection. */
beforeEach(async () => {
  served.renew();
  const { world } = served;
  await world.post([
    jobFor(3),
    { name: "huge", constraints: { ncpus: 64 } },
    { name: "gang", nodeCount: 2, constraints: { ncpus: 4 } },
  ]);
  await world.round();
  world.cycleCloud.settle();
  await world.snapshot();
  world.advance(1);
  await world.plan();
  await world.receive("{", "rejected-1");
});

function demandMessage(): Record<string, unknown> {
  const envelope = { version: 1, kind: "snapshot", source: "pbs", sequence: 7, cluster };
  return { ...envelope, sentAt: "2026-11-21T10:00:00Z", jobs: [jobFor(1)] };
}

const plan = { planId: "plan-0001" };
const extra = { body: { jobs: [{ constraints: { ncpus: 4 }, iterations: 2 }] } };

/** What a route needs to have something to say; most need nothing. */
const fields: Partial<Record<RouteId, Fields>> = {
  plan: { params: plan },
  "plan-archive": { params: plan },
  "plan-difference": { params: plan, query: { before: "plan-0001" } },
  reject: { params: { rejectionId: "rejected-1" } },
  "replay-reject": {
    params: { rejectionId: "rejected-1" },
    body: { message: JSON.stringify(demandMessage()), dryRun: true },
  },
  "put-config": {
    body: {
      config: { url: "https://cyclecloud.example", username: "autoscale", idle_timeout: 60 },
      by: "op",
      reason: "test",
      dryRun: true,
    },
  },
  "post-demand": { body: demandMessage(), query: { dry_run: "true" } },
  support: { params: { part: "operations" } },
  operation: { params: { actionId: "plan-0001-0000" } },
  history: { params: { node: "htc-1" } },
  "job-cost": { params: { job: "huge" } },
  explain: { params: { job: "huge" } },
  "explain-target": { params: { target: "htc" } },
  quote: extra,
  "what-if": extra,
  actions: {
    body: { kind: "delete", by: "op", reason: "test", nodes: { names: ["htc-1"] }, dryRun: true },
  },
  "validate-constraint": { body: { constraints: { ncpus: 4, "node.vm_size": "Standard_F*" } } },
};

async function fieldsOf(id: RouteId): Promise<Fields> {
  if (id === "explain-target")
    await served.world.receive({
      version: 1,
      kind: "targets",
      cluster,
      source: "cron",
      sequence: 1,
      sentAt: new Date(served.world.now() * 1000).toISOString(),
      arrays: [{ Name: "htc", TargetCount: 30 }],
    });
  return fields[id] ?? {};
}

const tested = routes.filter(({ id }) => id in handlers);

describe.each(tested.map((route): [RouteId, Route] => [route.id as RouteId, route]))(
  "route %s",
  (id, route) => {
    test("its answer is what its schema says, without anything else", async () => {
      const body = await api.read(id, await fieldsOf(id));
      const strict =
        "strict" in route.answer
          ? (route.answer as { strict(): typeof route.answer }).strict()
          : route.answer;
      expect(strict.safeParse(body).error).toBeUndefined();
    });

    test("says which version it speaks", async () => {
      const response = await api.call(id, await fieldsOf(id));
      expect(new Headers(response.headers as Record<string, string>).get("api-version")).toBe("1");
    });

    // A configuration may be that of a new cluster.
    if (route.path.includes("{cluster}") && id !== "put-config") {
      test("knows no cluster that is not configured", async () => {
        const fields = await fieldsOf(id);
        const response = await api.call(id, { ...fields, params: { ...fields.params, cluster: "hcp" } });
        expect(response.status).toBe(404);
        expect(problemSchema.parse(response.jsonBody).type).toContain("unknown-cluster");
      });
    }

    if (route.polled === true) {
      test("is not sent again while nothing changed", async () => {
        const fields = await fieldsOf(id);
        const first = await api.call(id, fields);
        const etag = new Headers(first.headers as Record<string, string>).get("etag") ?? "";
        const again = await api.call(id, { ...fields, headers: { "if-none-match": etag } });
        expect(again).toMatchObject({ status: 304 });
        expect(again.body).toBeUndefined();
      });
    }

    test("refuses a query that it does not know", async () => {
      const response = await api.call(id, { ...(await fieldsOf(id)), query: { colour: "red" } });
      expect(response.status).toBe(400);
      expect(JSON.stringify(response.jsonBody)).toContain("colour");
    });

    if (route.body !== undefined) {
      test.each(["", "{", "[]", "1", '{"kind": 1}'])("refuses the body %j with a reason", async (body) => {
        const response = await api.call(id, { body });
        expect(response.status).toBe(400);
        expect(problemSchema.parse(response.jsonBody).problems).not.toEqual([]);
      });
    }
  },
);

describe.each<[RouteId, Record<string, string>]>([
  ["support", { part: "demand" }],
  ["plan-archive", { planId: "plan-0001" }],
])("%s, which may be of many MB", (id, params) => {
  test("is packed for a caller that can unpack it, and says the same", async () => {
    await served.world.post(Array.from({ length: 50 }, (_, index) => jobFor(index + 1)));
    const { jsonBody: plain } = await api.call(id, { params });
    const packed = await api.call(id, { params, headers: { "accept-encoding": "gzip, deflate" } });
    expect(packed).toMatchObject({ headers: { "content-encoding": "gzip" } });
    const said = JSON.parse(gunzipSync(packed.body as Buffer).toString());
    expect({ ...said, atSeconds: 0 }).toEqual({ ...(plain as object), atSeconds: 0 });
  });
});

describe("records that are not there", () => {
  test.each<[RouteId, Record<string, string>]>([
    ["plan", { planId: "plan-9999" }],
    ["operation", { actionId: "none" }],
    ["history", { node: "htc-99" }],
    ["explain", { job: "none" }],
    ["plan-archive", { planId: "plan-9999" }],
    ["reject", { rejectionId: "none" }],
    ["support", { part: "everything" }],
    ["explain-target", { target: "none" }],
  ])("%s: 404", async (id, params) => {
    expect(await api.call(id, { params })).toMatchObject({ status: 404 });
  });

  test.each([
    ["plan-9999", "plan-0001"],
    ["plan-0001", "plan-9999"],
  ])("plan-difference of %s and %s: 404", async (planId, before) => {
    const response = await api.call("plan-difference", { params: { planId }, query: { before } });
    expect(response).toMatchObject({ status: 404 });
  });
});

describe("pages", () => {
  async function allPages(id: RouteId, list: string, limit: number): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: Record<string, string> = { limit: String(limit), ...(cursor === "" ? {} : { cursor }) };
      const page: Record<string, unknown> = await api.read(id, { query });
      pages.push(page[list] as unknown[]);
      cursor = page.next as string | null;
      if (pages.length > 50) throw new Error("pages without an end");
    }
    return pages;
  }

  beforeEach(async () => {
    const { world } = served;
    for (let round = 0; round < 5; round += 1) {
      await world.post([
        jobFor(6 + round),
        jobFor(1, { name: "more" }),
        { name: "huge", constraints: { ncpus: 64 } },
      ]);
      await world.receive("{", `rejected-x-${round}`);
      await world.round();
    }
  });

  test.each<[RouteId, string]>([
    ["nodes", "nodes"],
    ["jobs", "jobs"],
    ["plans", "plans"],
    ["operations", "operations"],
    ["rejects", "rejections"],
  ])("%s come once each, in the same order, whatever the size of a page", async (id, list) => {
    const whole = (await allPages(id, list, 1_000)).flat();
    expect(whole.length).toBeGreaterThan(1);
    for (const limit of [1, 2, 3]) {
      const pages = await allPages(id, list, limit);
      expect(pages.flat()).toEqual(whole);
      expect(Math.max(...pages.map(({ length }) => length))).toBe(limit);
    }
  });

  test.each(["x", "!", "e30", "W10"])("the cursor %j is refused", async (cursor) => {
    expect(await api.call("nodes", { query: { cursor } })).toMatchObject({ status: 400 });
  });
});

describe("nodes", () => {
  test.each([
    [{ name: "htc-1" }, 1],
    [{ name: "htc-*" }, 5],
    [{ name: "htc-1,htc-2" }, 2],
    [{ name: "HTC-1" }, 0],
    [{ nodeArray: "htc", state: "Ready" }, 5],
    [{ state: "Failed" }, 0],
    [{ constraint: '{"node.vm_size": "Standard_F*"}' }, 5],
    [{ constraint: '{"ncpus": 5}' }, 0],
  ])("%j selects %i", async (query, count) => {
    expect(await api.read("nodes", { query })).toMatchObject({ total: count });
  });

  test("has the fields that are named, and these alone", async () => {
    // Not what the schema wants of a node: who names fields knows that.
    const response = await api.call("nodes", { query: { fields: "name, state" } });
    const { nodes } = JSON.parse(String(response.body));
    expect(nodes[0]).toEqual({ name: "htc-1", state: "Ready" });
    expect(await api.call("nodes", { query: { fields: "name,colour" } })).toMatchObject({
      status: 400,
      jsonBody: { problems: ['fields: "name,colour", expected fields of a node: "colour" is none'] },
    });
  });

  test.each([
    ["ncpus", ["ncpus"]],
    ["NCPUs, node-array, none such", ["ncpus", "nodearray"]],
    ["", []],
  ])("of the resources %j are told: %j", async (resources, names) => {
    const { nodes } = await api.read<{ readonly nodes: readonly NodeView[] }>("nodes", {
      query: { resources },
    });
    expect(nodes).not.toEqual([]);
    for (const node of nodes) {
      expect(Object.keys(node.resources).sort()).toEqual(names);
      expect(Object.keys(node.available).sort()).toEqual(names);
    }
  });

  test.each(["{", '{"ncpus": -1}', '"x"'])(
    "the constraint %j is refused with a reason",
    async (constraint) => {
      expect(await api.call("nodes", { query: { constraint } })).toMatchObject({ status: 400 });
    },
  );
});

describe("a selection", () => {
  const constraint = '{"node.vm_size": "Standard_F*"}';
  const body = { jobs: [{ constraints: { ncpus: 4 } }] };

  test.each(["nodes", "buckets", "limits", "jobs", "demand", "operations"] as const)(
    "of %s: a constraint that cannot be read is refused with a reason",
    async (id) => {
      for (const unreadable of ["{", '{"ncpus": -1}', '"x"', '{"node.vm_sise": "x"}']) {
        const refused = await api.call(id, { query: { constraint: unreadable } });
        expect(refused).toMatchObject({
          status: 400,
          jsonBody: { problems: [expect.stringContaining("constraints")] },
        });
      }
    },
  );

  test.each([
    ["what-if", body],
    ["validate-constraint", { constraints: { ncpus: 4 } }],
  ] as const)("of %s: a constraint that cannot be read is refused with a reason", async (id, fields) => {
    const nodes = { constraints: [{ "node.vm_sise": "x" }] };
    expect(await api.call(id, { body: { ...fields, nodes } })).toMatchObject({
      status: 400,
      jsonBody: { problems: [expect.stringContaining("node.vm_size")] },
    });
    expect(await api.call(id, { body: { ...fields, nodes: {} } })).toMatchObject({ status: 400 });
  });

  test.each(["plans", "rejects", "explain", "history"] as const)("%s takes none", async (id) => {
    const fields = await fieldsOf(id);
    expect(await api.call(id, { ...fields, query: { name: "htc-1" } })).toMatchObject({ status: 400 });
  });

  test("of demand: totals are the whole plan's", async () => {
    const whole: Record<string, unknown> = await api.read("demand");
    const part = await api.read("demand", { query: { name: "htc-1", constraint } });
    const { jobs, placedJobs, nodeCount, waitingCount } = whole;
    expect(part).toMatchObject({ jobs, placedJobs, nodeCount, waitingCount, nodes: [{ name: "htc-1" }] });
    expect([whole.selected, part.selected]).toEqual([null, { nodeCount: 1, waitingCount: 0 }]);
  });

  test("of demand: nodes that would be made are among those that a constraint means", async () => {
    const { world } = served;
    await world.post([jobFor(8)]);
    const named = (answer: Record<string, unknown>) => JSON.stringify(answer.create);
    const whole = await api.read("demand");
    expect(named(await api.read("demand", { query: { constraint } }))).toBe(named(whole));
    const [set] = whole.create as { names: string[] }[];
    const name = set?.names.at(-1) ?? "";
    expect(await api.read("demand", { query: { name } })).toMatchObject({
      create: [{ count: 1, names: [name] }],
      nodes: [{ name }],
    });
    expect(await api.read("demand", { query: { constraint: '{"node.vm_size": "other"}' } })).toMatchObject({
      create: [],
      nodes: [],
    });
  });

  test("of demand: nodes that would go", async () => {
    const { world } = served;
    await world.post([]);
    await world.round();
    world.advance(301);
    const whole = await api.read("demand");
    expect(whole.retire).toHaveLength(5);
    expect(await api.read("demand", { query: { name: "htc-2" } })).toMatchObject({
      retire: [{ name: "htc-2" }],
    });
  });

  test.each([
    [{ name: "htc-1" }, 1],
    [{ nodeArray: "h*" }, 1],
    [{ constraint }, 1],
    [{ hostname: "HOST-*" }, 1],
    [{ name: "nobody" }, 0],
    [{ nodeArray: "hpc" }, 0],
    [{ constraint: '{"ncpus": 5}' }, 0],
  ])("%j: %i operations, also of nodes that are gone", async (query, count) => {
    expect(await api.read("operations", { query })).toMatchObject({ total: count });
    await served.world.snapshot();
    served.world.cycleCloud.clear();
    await served.world.round();
    const state = "visible";
    const gone = await api.read<{ operations: { state: string }[] }>("operations", { query });
    expect(gone.operations.filter((operation) => operation.state === state)).toHaveLength(count);
  });
});

describe("the schemas", () => {
  test("every path is one", () => {
    for (const { path } of routes) expect(path).toMatch(/^[a-z]+(\/([a-z-]+|\{[a-zA-Z]+\}))*$/);
  });

  test("an explanation says what the job wants and what would make it fit", async () => {
    expect(routeOf("explain").method).toBe("GET");
    expect(await api.read("explain", { params: { job: "huge" } })).toMatchObject({
      state: "waiting",
      causes: [{ kind: "too-big", next: expect.stringContaining("Ask for 4 ncpus or less") }],
    });
  });

  test("an explanation leaves out which limits to raise, for which several plans are made, if asked to", async () => {
    served.world = await happen(situations["limits-of-the-cluster-and-the-family"] as Situation);
    const whole = await api.read("explain", { params: { job: asked } });
    expect(whole).toMatchObject({ raise: { limits: [{ limit: "cluster" }, { limit: "family" }] } });
    const quick = await api.read("explain", { params: { job: asked }, query: { raise: "false" } });
    expect(quick).toEqual({ ...whole, raise: null });
  });
});
