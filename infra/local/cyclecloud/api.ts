import { type Context, Hono } from "hono";
import type { z } from "zod";
import {
  create,
  creationSchema,
  knownOperation,
  listNodes,
  manage,
  managementSchema,
  type Operation,
  Refusal,
  retryFailed,
  type Site,
  toClusterStatus,
  toOperationStatus,
  usageSchema,
  verbs,
} from "../../../shared/simulated-cyclecloud/index.ts";
import { toClusterUsage } from "./usage.ts";

/** The routes of CycleCloud's REST API, version 8. Throws Refusals. */
export function createApi(site: Site): Hono {
  const api = new Hono();
  api.get("/clusters/:cluster/status", (c) => {
    const { cluster, at } = site.clusterNow(c.req.param("cluster"));
    return c.json(toClusterStatus(cluster, { at, nodes: c.req.query("nodes") === "true" }));
  });
  api.get("/clusters/:cluster/nodes", (c) => c.json(listNodes(site, c.req.param("cluster"), c.req.query())));
  api.get("/clusters/:cluster/usage", (c) => {
    const { cluster, at } = site.clusterNow(c.req.param("cluster"));
    return c.json(toClusterUsage(cluster, parse(usageSchema, c.req.query(), 400), at));
  });
  addNodeActions(api, site);
  addOperations(api, site);
  api.post("/cloud/actions/retry/:cluster", (c) =>
    c.json({ retried: retryFailed(site, c.req.param("cluster")) }),
  );
  return api;
}

function addNodeActions(api: Hono, site: Site): void {
  api.post("/clusters/:cluster/nodes/create", async (c) => {
    const request = parse(creationSchema, await bodyOf(c), 409);
    return accepted(c, create(site, c.req.param("cluster"), request));
  });
  for (const verb of verbs) {
    api.post(`/clusters/:cluster/nodes/${verb}`, async (c) => {
      const request = parse(managementSchema, await bodyOf(c), 409);
      return accepted(c, manage(site, c.req.param("cluster"), verb, request));
    });
  }
}

function addOperations(api: Hono, site: Site): void {
  const shownOf = (operation: Operation | undefined): readonly Operation[] => {
    const shown = knownOperation(site, operation);
    return shown === undefined ? [] : [shown];
  };
  const list = (c: Context) => {
    const requestId = c.req.query("request_id");
    if (requestId === undefined) return c.json(site.operations.all().flatMap(shownOf).map(toOperationStatus));
    if (requestId === "") throw new Refusal(400, 'Cannot list operations: request_id is "", expected an id');
    return c.json(shownOf(site.operations.byRequest(requestId)).map(toOperationStatus));
  };
  api.get("/operations", list);
  api.get("/operations/", list);
  api.get("/operations/:id", (c) => {
    const id = c.req.param("id");
    const operation = knownOperation(site, site.operations.byId(id));
    if (operation === undefined) throw new Refusal(404, `Cannot find operation "${id}"`);
    return c.json(toOperationStatus(operation));
  });
}

function accepted(c: Context, result: { readonly operationId: string }): Response {
  return c.json(result, 202, { Location: `/operations/${result.operationId}` });
}

async function bodyOf(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw new Refusal(409, "Cannot read the request: the body is not JSON");
  }
}

function parse<S extends z.ZodType>(schema: S, input: unknown, status: 400 | 409): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  throw new Refusal(status, `Cannot read the request: ${problems.join("; ")}`);
}
