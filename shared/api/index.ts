/**
 * The HTTP API: every request and answer as a zod schema, the only definition. Functions check against them, clients
 * take their types from them, and the OpenAPI document is made of them.
 */
export * from "./actions.ts";
export { type Answer, type Cursor, encodeCursor } from "./answer.ts";
export * from "./autoscale-schema.ts";
export * from "./buckets-schema.ts";
export * from "./config-schema.ts";
export * from "./cost-schema.ts";
export * from "./demand-schema.ts";
export * from "./events-schema.ts";
export * from "./explain-schema.ts";
export * from "./jobs-schema.ts";
export * from "./nodes-schema.ts";
export { openApiDocument } from "./openapi.ts";
export * from "./operations-schema.ts";
export * from "./plan-summary.ts";
export * from "./plans-schema.ts";
export * from "./post-demand-schema.ts";
export * from "./prices-schema.ts";
export * from "./problem.ts";
export * from "./rejections-schema.ts";
export { apiVersion, appRoles, printingHeader, type Role, type Route } from "./route.ts";
export { type RouteId, routeOf, routes } from "./routes.ts";
export * from "./samples-schema.ts";
export * from "./selection-schema.ts";
export type { BudgetStatus, SpendingStatus } from "./spending-schema.ts";
export * from "./status-schema.ts";
export * from "./support-schema.ts";
export * from "./usage-schema.ts";
export * from "./what-if-schema.ts";
