/**
 * The HTTP API: every request and answer as a zod schema, the only definition. Functions check against them, clients
 * take their types from them, and the OpenAPI document is made of them.
 */
export * from "./actions.ts";
export { type Answer, type Cursor, encodeCursor } from "./answer.ts";
export * from "./autoscale.ts";
export * from "./buckets.ts";
export * from "./config.ts";
export * from "./demand.ts";
export * from "./explain.ts";
export * from "./jobs.ts";
export * from "./nodes.ts";
export { openApiDocument } from "./openapi.ts";
export * from "./operations.ts";
export * from "./plan-summary.ts";
export * from "./plans.ts";
export * from "./post-demand.ts";
export * from "./problem.ts";
export * from "./rejections.ts";
export { apiVersion, appRoles, printingHeader, type Role, type Route } from "./route.ts";
export { type RouteId, routes } from "./routes.ts";
export * from "./selection.ts";
export * from "./status.ts";
export * from "./support.ts";
export * from "./what-if.ts";
