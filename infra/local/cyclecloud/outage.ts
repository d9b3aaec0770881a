import { setTimeout as wait } from "node:timers/promises";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Environment } from "./faults.ts";

/** How the whole server fails for a time, in real seconds. */
export const outageSchema = z.strictObject({
  /** "unavailable": every call is a 503. "login": every login is refused. "slow": every answer takes `delaySeconds`. */
  kind: z.enum(["unavailable", "login", "slow"]).default("unavailable"),
  /** 0 ends it. */
  seconds: z.number().min(0),
  delaySeconds: z.number().positive().default(10),
});

type OutageInput = z.output<typeof outageSchema>;

export type Outages = ReturnType<typeof createOutages>;

export function createOutages() {
  let current: { readonly outage: OutageInput; readonly untilMilliseconds: number } | undefined;
  return {
    begin(outage: OutageInput): void {
      current = { outage, untilMilliseconds: performance.now() + outage.seconds * 1000 };
    },
    end(): void {
      current = undefined;
    },
    /** The outage of this moment, with what is left of it; undefined when all is well. */
    now() {
      const leftSeconds = current === undefined ? 0 : (current.untilMilliseconds - performance.now()) / 1000;
      if (current === undefined || leftSeconds <= 0) return undefined;
      const { kind, delaySeconds } = current.outage;
      return { kind, leftSeconds, delaySeconds };
    },
  };
}

/** Puts the outage, while there is one, in front of everything but the control panel. */
export function applyOutages(outages: Outages): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const outage = outages.now();
    if (outage === undefined) return next();
    context.set("fault", `outage-${outage.kind}`);
    if (outage.kind === "slow") {
      await wait(outage.delaySeconds * 1000, undefined, { ref: false });
      return next();
    }
    if (outage.kind === "login")
      return context.json({ error: "Unauthorized", message: "Cannot log in: wrong or locked account" }, 401);
    return context.json({ error: "Service Unavailable", message: "CycleCloud is down for maintenance" }, 503);
  };
}
