import { setTimeout as wait } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";

export type Environment = { Bindings: HttpBindings; Variables: { fault?: string; cut?: boolean } };

const matching = {
  /** Any method when absent. */
  method: z.string().optional(),
  /** A part of the path and query; any path when absent. */
  path: z.string().optional(),
  /** How many requests it hits. */
  times: z.int().min(1).default(1),
};

/** `acts`: whether the request takes effect although its answer is lost. */
export const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    ...matching,
    status: z.int().min(400).max(599),
    retryAfterSeconds: z.int().min(0).optional(),
    acts: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal("truncated"), ...matching }),
  z.strictObject({
    kind: z.literal("no-answer"),
    ...matching,
    /** Real time before the connection is cut. */
    holdMilliseconds: z.int().min(0).default(0),
    acts: z.boolean().default(true),
  }),
]);

type Fault = z.output<typeof faultSchema>;

export type Faults = ReturnType<typeof createFaults>;

export function createFaults() {
  let faults: readonly Fault[] = [];
  return {
    add(fault: Fault): void {
      faults = [...faults, fault];
    },
    clear(): void {
      faults = [];
    },
    /** How many requests will be hit. */
    left: () => faults.reduce((sum, { times }) => sum + times, 0),
    /** The oldest fault that fits, which is then used up once. */
    take(method: string, path: string): Fault | undefined {
      const hit = faults.find(
        (fault) => (fault.method ?? method) === method && path.includes(fault.path ?? ""),
      );
      faults = faults.flatMap((fault) => {
        if (fault !== hit) return [fault];
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      });
      return hit;
    },
  };
}

/** Puts the faults between the server and its clients. */
export function injectFaults(faults: Faults): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    const fault = faults.take(context.req.method, pathname + search);
    if (fault === undefined) return next();
    context.set("fault", fault.kind);
    if (fault.kind === "truncated" || fault.acts) await next();
    await spoil(context, fault);
  };
}

async function spoil(context: Context<Environment>, fault: Fault): Promise<void> {
  switch (fault.kind) {
    case "status": {
      const { status, retryAfterSeconds } = fault;
      const headers: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
      const body = { error: "Injected", message: `Injected fault: status ${status}` };
      replace(context, context.json(body, status as ContentfulStatusCode, headers));
      return;
    }
    case "truncated": {
      const text = await context.res.text();
      const headers = { "Content-Type": "application/json" };
      replace(context, new Response(text.slice(0, text.length / 2), { status: context.res.status, headers }));
      return;
    }
    case "no-answer":
      await wait(fault.holdMilliseconds, undefined, { ref: false });
      context.env.outgoing.destroy();
      context.set("cut", true);
      replace(context, RESPONSE_ALREADY_SENT);
  }
}

/** Hono merges the headers of an earlier response unless that one is taken away first. */
function replace(context: Context<Environment>, response: Response): void {
  context.res = undefined;
  context.res = response;
}
