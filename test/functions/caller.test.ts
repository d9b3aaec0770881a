import { HttpRequest, type HttpResponseInit, InvocationContext } from "@azure/functions";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createTokenReader } from "../../functions/support/entra-token.ts";
import { entraGuard, type Guard, keyGuard } from "../../functions/support/guard.ts";
import type { Service } from "../../functions/support/wire.ts";
import { served, service } from "../fuzz/served-world.ts";
import { nodeOf } from "../support/cluster.ts";
import { agentOid, alice, startTenant, type Tenant } from "../support/entra.ts";
import { cluster, worldWith } from "../support/world.ts";

type Handler = (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>;

const root = vi.hoisted(() => ({ guard: undefined as unknown, handlers: new Map<string, unknown>() }));

vi.mock("../../functions/support/service.ts", () => ({
  service: new Proxy({} as Service, {
    get: (_, key) => (key === "guard" ? root.guard : Reflect.get(service, key)),
  }),
}));

vi.mock("@azure/functions", async (original) => ({
  ...(await original<object>()),
  app: { http: (name: string, { handler }: { handler: unknown }) => root.handlers.set(name, handler) },
}));

root.guard = keyGuard({ nodeLogin: "function-key", platformSignsIn: false });
await import("../../functions/http.ts");

let tenant: Tenant;

beforeAll(async () => {
  tenant = await startTenant();
});

afterAll(() => tenant.stop());

beforeEach(async () => {
  served.world = worldWith({ nodes: [nodeOf({ name: "htc-1", instanceId: "vm-1" })] });
  await served.world.round();
});

const operator = { roles: ["Autoscale.Operate"] };

/** Who is in the record after a call under this guard, as the platform would make it. */
async function recorded(
  name: "http-actions" | "http-stop",
  guard: Guard,
  headers: Record<string, string>,
): Promise<string | undefined> {
  root.guard = guard;
  const body = { kind: "delete", by: "mallory", reason: "because", nodes: { names: ["htc-1"] } };
  const request = new HttpRequest({
    method: "POST",
    url: `http://127.0.0.1/api/clusters/${cluster}/x`,
    params: { cluster },
    headers: { "content-type": "application/json", ...headers },
    ...(name === "http-stop"
      ? { query: { instance: "vm-1", by: "mallory", reason: "because" } }
      : { body: { string: JSON.stringify(body) } }),
  });
  const handler = root.handlers.get(name) as Handler;
  const answer = await handler(request, new InvocationContext({ invocationId: "i", logHandler: () => {} }));
  expect(answer.status ?? 200).toBe(200);
  const [operation] = await served.world.ports.operations.recent(cluster, 1);
  expect(operation?.action.requestedBy?.why).toBe("because");
  return operation?.action.requestedBy?.who;
}

const entra = () =>
  entraGuard({
    nodeLogin: "function-key",
    issuer: tenant.issuer,
    readToken: createTokenReader(tenant.issuer),
  });

describe.each(["http-actions", "http-stop"] as const)("the record of %s says who asked", (name) => {
  test("a user by name and object id, whatever the request says", async () => {
    const headers = {
      authorization: `Bearer ${await tenant.userToken(operator)}`,
      "x-ms-client-principal-name": "mallory@example.com",
    };
    expect(await recorded(name, entra(), headers)).toBe(`alice@example.com (${alice.oid})`);
  });

  test("and the log, for calls whose record has no place for a name", async () => {
    await recorded(name, entra(), { authorization: `Bearer ${await tenant.userToken(operator)}` });
    const call = name.slice("http-".length);
    expect(served.world.log).toContain(
      `info operator-call ${JSON.stringify({ call, cluster, by: `alice@example.com (${alice.oid})` })}`,
    );
  });

  test("an application by its ids", async () => {
    const headers = { authorization: `Bearer ${await tenant.appToken(operator)}` };
    expect(await recorded(name, entra(), headers)).toMatch(new RegExp(`^app .* \\(${agentOid}\\)$`));
  });

  test("a caller whom the platform signed in, by the platform's word", async () => {
    const guard = keyGuard({ nodeLogin: "function-key", platformSignsIn: true });
    expect(await recorded(name, guard, { "x-ms-client-principal-name": " bob@example.com " })).toBe(
      "bob@example.com",
    );
    const long = { "x-ms-client-principal-name": "b".repeat(500) };
    served.world = worldWith({ nodes: [nodeOf({ name: "htc-1", instanceId: "vm-1" })] });
    await served.world.round();
    expect(await recorded(name, guard, long)).toHaveLength(200);
  });

  test("with a key alone, the name that the caller gives", async () => {
    const guard = keyGuard({ nodeLogin: "function-key", platformSignsIn: false });
    expect(await recorded(name, guard, { "x-ms-client-principal-name": "bob" })).toBe("mallory");
  });
});
