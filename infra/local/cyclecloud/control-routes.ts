import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { Refusal } from "./api-refusal.ts";
import { createCommands, createControl, type Instruments } from "./control-api.ts";
import type { Environment } from "./faults.ts";

/** The control panel over HTTP: no password, but for this machine only. */
export function createControlRoutes(instruments: Instruments): Hono<Environment> {
  const { site } = instruments;
  const control = createControl(instruments);
  const routes = new Hono<Environment>();
  routes.use(async (context, next) => {
    const { address = "" } = getConnInfo(context).remote;
    if (!/^(127\.|::1$|::ffff:127\.)/.test(address)) return context.json({ error: "Forbidden" }, 403);
    return next();
  });
  routes.get("/clusters", (context) => context.json(site.clusterNames));
  routes.get("/time", (context) => context.json({ nowSeconds: control.nowSeconds() }));
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
