import { HttpRequest, type HttpResponseInit, InvocationContext } from "@azure/functions";
import fc from "fast-check";
import { globSync } from "tinyglobby";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { problemSchema, routes } from "../../shared/api/index.ts";
import { cases } from "../support/cases.ts";
import { azureCli, newKeys, sign, startTenant, type Tenant } from "../support/entra.ts";

/** An HTTP function as it is registered with the platform. */
interface Registered {
  readonly methods: readonly string[];
  readonly route: string;
  readonly authLevel: string;
  readonly handler: (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>;
}

const registry = vi.hoisted(() => ({ http: new Map<string, unknown>() }));

// The platform's side of registration: whatever is registered in a way that is not known here is HTTP.
vi.mock("@azure/functions", async (original) => {
  const others = ["timer", "storageQueue", "serviceBusQueue", "eventGrid"];
  const app = new Proxy(
    { hook: { appTerminate: () => undefined } },
    {
      get: (own, kind: string) =>
        kind in own
          ? Reflect.get(own, kind)
          : (name: string, options: object) =>
              others.includes(kind) || registry.http.set(name, { kind, ...options }),
    },
  );
  return { ...(await original<object>()), app };
});

const root = new URL("../..", import.meta.url).pathname;
const keyMode = {
  SNAPSHOT_SCHEDULE: "0 * * * * *",
  PRICES_SCHEDULE: "0 0 0 1 1 *",
  AutoscaleStorage: "UseDevelopmentStorage=true",
  ServiceBusConnection: "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
};

/** Loads every file of the app as the platform does, with these settings, and tells what HTTP functions there are. */
async function load(settings: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, Registered>> {
  vi.resetModules();
  registry.http = new Map();
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({ ...keyMode, ...settings })) vi.stubEnv(name, value);
  for (const file of globSync("functions/*.ts", { cwd: root }).toSorted()) await import(`${root}${file}`);
  return registry.http as Map<string, Registered>;
}

function call({ handler, methods }: Registered, headers: Record<string, string> = {}) {
  const request = new HttpRequest({
    method: methods[0] ?? "GET",
    url: "http://127.0.0.1/api/x?code=a-key&instance=vm-1",
    query: { code: "a-key", instance: "vm-1" },
    params: { cluster: "hpc" },
    headers: { "content-type": "application/json", ...headers },
    ...(methods[0] === "POST" && { body: { string: "{}" } }),
  });
  return handler(request, new InvocationContext({ invocationId: "i-1", logHandler: () => {} }));
}

function challengeOf({ headers }: HttpResponseInit): string {
  return new Headers(headers as Record<string, string>).get("www-authenticate") ?? "";
}

let tenant: Tenant;

beforeAll(async () => {
  tenant = await startTenant();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await tenant.stop();
});

const changes = routes.filter(({ role }) => role === "operator").map(({ id }) => `http-${id}`);

test("what shows whole messages of senders is for operators, as what changes something is", () => {
  expect(changes).toEqual(expect.arrayContaining(["http-reject", "http-support"]));
});

/** Files of the dashboard, which hold nothing about any cluster: the only ones that anybody may read. */
const forAnybody = ["http-dashboard", "http-dashboard-file"];

describe("by function key, as it is when nothing is said", () => {
  test("every HTTP function asks the platform for a key", async () => {
    const functions = await load({});
    expect(functions.size).toBeGreaterThan(15);
    const open = [...functions].filter(([, { authLevel }]) => authLevel !== "function");
    expect(open.map(([name]) => name).toSorted()).toEqual(forAnybody);
  });

  test("HTTP functions are those of the routes, and no others", async () => {
    const served = [...(await load({})).values()].map(({ route, methods }) => `${methods} ${route}`);
    const known = routes.map(({ method, path }) => `${method} ${path}`);
    expect(served.toSorted()).toEqual(
      ["GET dashboard", "GET dashboard/{file}", "GET metrics", "GET openapi.json", ...known].toSorted(),
    );
  });

  test("with the login of nodes only what nodes call is open: it asks by itself (stops.test.ts)", async () => {
    const functions = await load({ AUTOSTOP_LOGIN: "basic" });
    const open = [...functions].filter(([, { authLevel }]) => authLevel !== "function");
    expect(open.map(([name]) => name).toSorted()).toEqual(
      ["http-autostop", "http-leaving", ...forAnybody].toSorted(),
    );
  });
});

describe("by Entra token", () => {
  /** Calls that prove nothing. */
  const strangers: readonly [string, () => Promise<Record<string, string>>][] = [
    ["nothing", async () => ({})],
    ["a function key", async () => ({ "x-functions-key": "a-key" })],
    [
      "headers that only the platform may write",
      async () => ({
        "x-ms-client-principal-name": "alice@example.com",
        "x-ms-client-principal-id": "33333333-3333-4333-8333-333333333333",
        "x-ms-client-principal": Buffer.from('{"userRoles":["Autoscale.Operate"]}').toString("base64"),
        "x-ms-token-aad-access-token": await tenant.userToken({ roles: ["Autoscale.Operate"] }),
      }),
    ],
    ["a name and a password", async () => ({ authorization: `Basic ${btoa("node:secret")}` })],
    ["a word that is no token", async () => ({ authorization: "Bearer x" })],
    [
      "a token of somebody else's making",
      async () => ({
        authorization: `Bearer ${await sign({ roles: ["Autoscale.Operate"] }, await newKeys())}`,
      }),
    ],
    [
      "a token for somebody else",
      async () => ({ authorization: `Bearer ${await tenant.userToken({ aud: azureCli })}` }),
    ],
  ];

  let functions: ReadonlyMap<string, Registered>;

  beforeAll(async () => {
    functions = await load(tenant.settings);
  });

  const open = () =>
    [...functions].filter(([name, { authLevel }]) => authLevel !== "function" && !forAnybody.includes(name));

  test("the files of the dashboard hold nothing about a cluster", async () => {
    for (const name of forAnybody) {
      const response = await call(functions.get(name) as Registered, {});
      expect([200, 404]).toContain(response.status);
      expect(JSON.stringify(response)).not.toContain("hpc");
    }
  });

  test("the platform asks nobody but nodes for a key", () => {
    const closed = [...functions].filter(([, { authLevel }]) => authLevel === "function");
    expect(closed.map(([name]) => name)).toEqual(["http-autostop", "http-leaving"]);
    expect(open().length).toBeGreaterThan(15);
  });

  test.each(strangers)(
    "every function that is open refuses %s, and says how to sign in",
    async (_, headersOf) => {
      const headers = await headersOf();
      for (const [name, registered] of open()) {
        const response = await call(registered, headers);
        expect({ name, status: response.status }).toEqual({ name, status: 401 });
        expect(challengeOf(response)).toMatch(
          /^Bearer authorization_uri="http:\/\/127\.0\.0\.1:\d+\/11111111-/,
        );
        expect(problemSchema.parse(response.jsonBody).type).toMatch(/unauthorized$/);
      }
    },
  );

  test("whatever stands in the header of a stranger, it is a refusal and no accident", async () => {
    const status = functions.get("http-status") as Registered;
    const scheme = fc.constantFrom("", "Bearer ", "bearer  ", "Basic ", "Bearer a.b.");
    const text = fc.stringMatching(/^[ -~]{0,80}$/);
    await fc.assert(
      fc.asyncProperty(fc.tuple(scheme, text), async ([begin, rest]) => {
        expect(await call(status, { authorization: begin + rest })).toHaveProperty("status", 401);
      }),
      cases(200),
    );
  });

  test.each([
    ["without a role", {}, "Autoscale.Read"],
    ["with a role of another app", { roles: ["Owner"] }, "Autoscale.Read"],
  ])(
    "every function that is open refuses a user %s, and names what is missing",
    async (_, claims, missing) => {
      const headers = { authorization: `Bearer ${await tenant.userToken(claims)}` };
      for (const [name, registered] of open()) {
        const response = await call(registered, headers);
        const wanted = changes.includes(name) ? "Autoscale.Operate" : missing;
        expect({ name, status: response.status }).toEqual({ name, status: 403 });
        expect(problemSchema.parse(response.jsonBody)).toMatchObject({
          type: expect.stringMatching(/forbidden$/),
          title: expect.stringMatching(`^alice@example.com .* lacks the role "${wanted}"$`),
        });
      }
    },
  );

  test.each([
    ["user", () => tenant.userToken({ roles: ["Autoscale.Read"] })],
    ["application", () => tenant.appToken({ roles: ["Autoscale.Read"] })],
  ])("%s that may read changes nothing", async (_, token) => {
    const headers = { authorization: `Bearer ${await token()}` };
    expect(changes.length).toBeGreaterThan(2);
    for (const name of changes) {
      const response = await call(functions.get(name) as Registered, headers);
      expect({ name, status: response.status }).toEqual({ name, status: 403 });
    }
  });

  test("a client that was not given the API on the user's behalf is told of the scope", async () => {
    const headers = {
      authorization: `Bearer ${await tenant.userToken({ scp: "x", roles: ["Autoscale.Operate"] })}`,
    };
    const response = await call(functions.get("http-status") as Registered, headers);
    expect(response).toMatchObject({
      status: 403,
      jsonBody: { title: expect.stringContaining("user_impersonation") },
    });
  });

  test("while the keys of the tenant cannot be had nobody is let in, and nobody is told to sign in again", async () => {
    tenant.answers = "nothing";
    const fresh = await load(tenant.settings);
    const headers = { authorization: `Bearer ${await tenant.userToken({ roles: ["Autoscale.Operate"] })}` };
    const response = await call(fresh.get("http-openapi") as Registered, headers);
    tenant.answers = "keys";
    expect(response.status).toBe(503);
    expect(new Headers(response.headers as Record<string, string>).get("retry-after")).toMatch(/^\d+$/);
    expect(await call(fresh.get("http-openapi") as Registered, headers)).not.toHaveProperty("status", 503);
  });

  test.each([
    ["Autoscale.Read", "user"],
    ["Autoscale.Operate", "user"],
    ["Autoscale.Read", "app"],
  ])("%s lets a %s read", async (role, kind) => {
    const token = kind === "user" ? tenant.userToken : tenant.appToken;
    const headers = { authorization: `Bearer ${await token({ roles: [role] })}` };
    const response = await call(functions.get("http-openapi") as Registered, headers);
    expect(response.jsonBody).toMatchObject({ openapi: "3.1.0" });
  });
});
