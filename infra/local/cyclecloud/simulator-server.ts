import { setTimeout as wait } from "node:timers/promises";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono, type MiddlewareHandler } from "hono";
import { basicAuth } from "hono/basic-auth";
import { HTTPException } from "hono/http-exception";
import { ZodError } from "zod";
import { describeProblems } from "../../../shared/messages/index.ts";
import { type Clock, Refusal } from "../../../shared/simulated-cyclecloud/index.ts";
import { reportSchema } from "../scheduler/orders.ts";
import { createApi } from "./api.ts";
import { createCommands, createControl, type Instruments } from "./control-api.ts";
import { toState } from "./control-state.ts";
import { type Environment, injectFaults } from "./faults.ts";
import { applyOutages } from "./outage.ts";

/** The whole HTTP application; a request passes log, latency, faults and login on its way to the API. */
export function createApplication(instruments: Instruments, login: Login): Hono<Environment> {
  const application = new Hono<Environment>();
  application.route("/_control", createControlRoutes(instruments));
  application.use(
    logCalls(instruments),
    applyOutages(instruments.outages),
    slowDown(instruments),
    injectFaults(instruments.faults),
  );
  application.use(
    basicAuth({
      realm: "CycleCloud",
      invalidUserMessage: { error: "Unauthorized", message: "Cannot log in: wrong or locked account" },
      verifyUser: (username, password) => login.allows(username, password),
    }),
  );
  application.route("/", createApi(instruments.site));
  application.notFound((context) => {
    const message = `Cannot find ${context.req.method} ${context.req.path}`;
    return context.json({ error: "Not Found", message }, 404);
  });
  application.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof Refusal)
      return context.json({ error: names[error.status], message: error.message }, error.status);
    if (error instanceof ZodError) {
      return context.json(
        { error: names[400], message: describeProblems(error, { root: "input" }).join("; ") },
        400,
      );
    }
    return context.json({ error: "Internal Server Error", message: String(error) }, 500);
  });
  return application;
}

const names = { 400: "Bad Request", 404: "Not Found", 409: "Conflict" } as const;

function logCalls({ site, calls }: Instruments): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const at = site.clock.nowSeconds();
    await next();
    const { pathname, search } = new URL(context.req.url);
    calls.add({
      at,
      method: context.req.method,
      path: pathname + search,
      status: context.get("cut") ? null : context.res.status,
      fault: context.get("fault") ?? null,
    });
  };
}

function slowDown(instruments: Instruments): MiddlewareHandler<Environment> {
  return async (_context, next) => {
    const { minMilliseconds, maxMilliseconds } = instruments.latency;
    // Not from the seeded draws: the order of concurrent requests must not change the fate of nodes.
    const delay = minMilliseconds + Math.random() * Math.max(0, maxMilliseconds - minMilliseconds);
    if (delay > 0) await wait(delay);
    await next();
  };
}

const wantsJson = "Cannot take a command: send it with the header Content-Type: application/json";

function isJson(contentType = ""): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}

/** The control panel over HTTP: no password, but for programs of this machine only. */
function createControlRoutes(instruments: Instruments): Hono<Environment> {
  const { site } = instruments;
  const control = createControl(instruments);
  const routes = new Hono<Environment>();
  routes.use(async (context, next) => {
    const { address = "" } = getConnInfo(context).remote;
    if (!/^(127\.|::1$|::ffff:127\.)/.test(address)) return context.json({ error: "Forbidden" }, 403);
    // The browser of this machine's user sends forms and text for any web page, but JSON only after a preflight.
    if (context.req.method !== "GET" && !isJson(context.req.header("content-type")))
      return context.json({ error: "Unsupported Media Type", message: wantsJson }, 415);
    return next();
  });
  routes.get("/clusters", (context) => context.json(site.clusterNames));
  routes.get("/time", (context) => context.json({ nowSeconds: control.nowSeconds() }));
  routes.get("/state", (context) => context.json(toState(instruments)));
  routes.post("/scheduler/:cluster", async (context) => {
    const report = reportSchema.parse(await context.req.json().catch(() => ({})));
    return context.json(instruments.board.exchange(context.req.param("cluster"), report));
  });
  routes.get("/ledger/:cluster", (context) => context.json(control.ledger(context.req.param("cluster"))));
  routes.get("/calls", (context) =>
    context.json({ total: control.calls.total(), calls: control.calls.recent() }),
  );
  for (const [name, run] of Object.entries(createCommands(instruments))) {
    // Every command checks its own input, so it may be given anything.
    const runUnchecked = run as (input: unknown) => void;
    routes.post(`/${name}`, async (context) => {
      runUnchecked(await context.req.json().catch(() => ({})));
      return context.json({ done: name });
    });
  }
  routes.all("*", (context) => {
    throw new Refusal(404, `Cannot find control "${context.req.path}"`);
  });
  return routes;
}

const failuresAllowed = 5;
const failureWindowSeconds = 60;
const lockSeconds = 300;

interface Login {
  /** A locked account is refused even with the right password. */
  allows(username: string, password: string): boolean;
}

/** CycleCloud's rule: five failed logins within 60 seconds lock the account for five minutes. */
export function createLogin(
  account: { readonly username: string; readonly password: string },
  clock: Clock,
): Login {
  let failures: readonly number[] = [];
  let lockedUntil = -Infinity;
  return {
    allows(username, password) {
      const now = clock.nowSeconds();
      if (username !== account.username || now < lockedUntil) return false;
      if (password === account.password) return true;
      failures = [...failures.filter((at) => at > now - failureWindowSeconds), now];
      if (failures.length >= failuresAllowed) {
        lockedUntil = now + lockSeconds;
        failures = [];
      }
      return false;
    },
  };
}
