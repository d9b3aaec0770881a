/**
 * `cyclecloud-autoscale/client`: the HTTP API, with types for each call and answer. The types are those of the schemas that the
 * OpenAPI document is made from and that the service checks every call against.
 */
export type { Problem } from "../../../shared/api/index.ts";
export type { ApiPaths } from "./api-paths.ts";
export { type ApiClient, type ClientOptions, createClient } from "./create-client.ts";
