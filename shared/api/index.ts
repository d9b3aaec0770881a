/**
 * The HTTP API: every request and answer as a zod schema, the only definition. Functions check against them, clients
 * take their types from them, and the OpenAPI document is made of them. They talk to nobody.
 */
export * from "./actions.ts";
export type { Answer } from "./answer.ts";
export * from "./autoscale.ts";
export * from "./buckets.ts";
export * from "./clusters.ts";
export * from "./config.ts";
export * from "./constraint.ts";
export { type Cursor, encodeCursor } from "./cursor.ts";
export * from "./demand.ts";
export * from "./explain.ts";
export * from "./explain-target.ts";
export { foldedName, foldedOnce } from "./folded-name.ts";
export * from "./history.ts";
export * from "./jobs.ts";
export * from "./nodes.ts";
export * from "./operations.ts";
export * from "./plan-summary.ts";
export * from "./plans.ts";
export * from "./post-demand.ts";
export * from "./problem.ts";
export { quoted, refusals } from "./refusals.ts";
export * from "./rejections.ts";
export { appRoles, type Role } from "./roles.ts";
export { type Route, type RouteId, routes } from "./routes.ts";
export * from "./selection.ts";
export * from "./status.ts";
export * from "./stop.ts";
export * from "./support.ts";
export { API_VERSION, PRINTING_HEADER } from "./version.ts";
export * from "./what-if.ts";
