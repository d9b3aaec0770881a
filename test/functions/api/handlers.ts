import type { HttpHandler } from "../../../functions/support/answer-http.ts";
import { type RouteId, routes } from "../../../shared/api/index.ts";
import { handlerOf } from "../../support/http-handlers.ts";

/** The functions by the routes that they serve. Autoscale, and what nodes ask, have tests of their own. */
export const handlers = Object.fromEntries(
  routes
    .map(({ id }) => id)
    .filter((id) => !["autoscale", "autostop", "leaving", "stop"].includes(id))
    .map((id) => [id, handlerOf(id)]),
) as Readonly<Record<Exclude<RouteId, "autoscale" | "autostop" | "leaving" | "stop">, HttpHandler>>;
