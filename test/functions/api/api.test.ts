import { beforeEach, describe, expect, test, vi } from "vitest";
import { problemSchema, type Route, routes } from "../../../shared/api/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { cluster, jobFor } from "../../support/world.ts";
import { apiOf, type Fields, type RouteId, routeOf } from "./routes.ts";

// The composition root of the process, for which the world in memory stands in.
vi.mock("../../../functions/support/service.ts", () => import("../../fuzz/served-world.ts"));

const { handlers } = await import("./handlers.ts");
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

/** What each route needs to have something to say. */
async function fieldsOf(id: RouteId): Promise<Fields> {
  switch (id) {
    case "plan":
      return { params: { planId: "plan-0001" } };
    case "operation":
      return { params: { actionId: "plan-0001-0000" } };
    case "history":
      return { params: { node: "htc-1" } };
    case "explain":
      return { params: { job: "huge" } };
    case "what-if":
      return { body: { jobs: [{ constraints: { ncpus: 4 }, iterations: 2 }] } };
    case "actions":
      return {
        body: { kind: "delete", by: "op", reason: "test", nodes: { names: ["htc-1"] }, dryRun: true },
      };
    case "validate-constraint":
      return { body: { constraints: { ncpus: 4, "node.vm_size": "Standard_F*" } } };
    default:
      return {};
  }
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

    if (route.path.includes("{cluster}")) {
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
        expect(again.jsonBody).toBeUndefined();
      });
    }

    if (route.query !== undefined) {
      test("refuses a query that it does not know", async () => {
        const response = await api.call(id, { ...(await fieldsOf(id)), query: { colour: "red" } });
        expect(response.status).toBe(400);
        expect(JSON.stringify(response.jsonBody)).toContain("colour");
      });
    }

    if (route.body !== undefined) {
      test.each(["", "{", "[]", "1", '{"kind": 1}'])("refuses the body %j with a reason", async (body) => {
        const response = await api.call(id, { body });
        expect(response.status).toBe(400);
        expect(problemSchema.parse(response.jsonBody).problems).not.toEqual([]);
      });
    }
  },
);

describe("records that are not there", () => {
  test.each<[RouteId, Record<string, string>]>([
    ["plan", { planId: "plan-9999" }],
    ["operation", { actionId: "none" }],
    ["history", { node: "htc-99" }],
    ["explain", { job: "none" }],
  ])("%s: 404", async (id, params) => {
    expect(await api.call(id, { params })).toMatchObject({ status: 404 });
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

  test.each(["{", '{"ncpus": -1}', '"x"'])(
    "the constraint %j is refused with a reason",
    async (constraint) => {
      expect(await api.call("nodes", { query: { constraint } })).toMatchObject({ status: 400 });
    },
  );
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
});
