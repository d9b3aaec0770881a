import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { z } from "zod";
import { systemClock, waitAtMost } from "./clock.ts";
import { createEventGridWebhook, eventGridPath } from "./event-grid-trigger.ts";
import type { HostedFunction, RefusedFunction } from "./hosted-function.ts";
import { addEndpoints, type HttpEndpoint } from "./http-trigger.ts";
import type { Invoke } from "./invoke.ts";
import type { LogLevel } from "./rpc.ts";
import { timerInput } from "./timer-trigger.ts";

interface HttpAppOptions {
  readonly endpoints: readonly HttpEndpoint[];
  readonly functions: readonly HostedFunction[];
  readonly refused: readonly RefusedFunction[];
  readonly invoke: Invoke;
  readonly log: (level: LogLevel, message: string) => void;
}

const manualRun = z.object({ input: z.unknown() });

/** The HTTP side of the host: Azure's admin routes that are useful on a laptop, then the functions, then 404. */
export function createHttpApp({ endpoints, functions, refused, invoke, log }: HttpAppOptions): Hono {
  // As in Azure, a slash at the end of a path changes nothing.
  const app = new Hono({ strict: false });
  // The browser of this machine's user sends forms and text for any web page; JSON only after a preflight.
  app.post("/admin/*", async (context, next) =>
    isJson(context.req.header("content-type"))
      ? next()
      : context.text("Send the header Content-Type: application/json", 415),
  );
  app.get("/admin/functions", (context) =>
    context.json([
      ...functions.map(({ name, triggerType, trigger }) => ({ name, triggerType, trigger })),
      ...refused,
    ]),
  );
  app.post("/admin/functions/:name", async (context) => {
    const name = context.req.param("name");
    const target = functions.find((candidate) => candidate.name === name);
    if (target === undefined) return context.notFound();
    const body = manualRun.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success)
      return context.text('Cannot read the body, expected JSON such as {"input": "..."}', 400);
    if (target.triggerType === "httptrigger") return context.text("Call an HTTP function by its route", 400);
    // Like Azure: accepted, runs in the background, the outcome is in the log.
    void invoke(target, { data: manualInput(target, body.data.input), reason: "run by hand" });
    return context.body(null, 202);
  });
  const webhook = createEventGridWebhook({ functions, invoke });
  app.post(eventGridPath, (context) => webhook(context.req.raw));
  addEndpoints(app, endpoints, invoke);
  app.notFound((context) => {
    const isRoot = context.req.path === "/" && context.req.method === "GET";
    return isRoot ? context.text("The Functions host is running.") : context.body(null, 404);
  });
  app.onError((error, context) => {
    log("error", `cannot answer ${context.req.method} ${context.req.path}: ${error.message}`);
    return context.body(null, 500);
  });
  return app;
}

function isJson(contentType = ""): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}

/** A timer gets a timer's input whatever was sent; the others get text, JSON text for anything but a string. */
function manualInput({ triggerType }: HostedFunction, input: unknown): { string: string } | { json: string } {
  if (triggerType === "timertrigger") return { json: timerInput };
  return { string: typeof input === "string" ? input : (JSON.stringify(input) ?? "") };
}

/** A listening server; only on the loopback address. */
export interface HttpListener {
  readonly url: string;
  /** Takes no new connections; requests in work are answered. */
  stop(): void;
  /** Gives answers a moment to leave, then cuts what is left. Only after stop. */
  close(): Promise<void>;
}

const flushMs = 300;

/** Listens on 127.0.0.1. @throws the system's error, for example EADDRINUSE. */
export function listen(fetch: Hono["fetch"], port: number): Promise<HttpListener> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: "127.0.0.1" }, ({ port }: AddressInfo) => {
      const closed = new Promise<void>((done) => server.once("close", done));
      const stop = (): void => {
        server.close();
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      };
      const close = async (): Promise<void> => {
        await waitAtMost(systemClock, flushMs, closed);
        if ("closeAllConnections" in server) server.closeAllConnections();
        await closed;
      };
      resolve({ url: `http://127.0.0.1:${port}`, stop, close });
    });
    server.once("error", reject);
  });
}
