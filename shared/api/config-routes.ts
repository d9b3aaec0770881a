import {
  configAnswer,
  configBody,
  configChanged,
  configVersionsAnswer,
  configVersionsQuery,
} from "./config-schema.ts";
import { ofCluster, type Route } from "./route.ts";

/** Routes of what is stored as a cluster's configuration. */
export const configRoutes = [
  {
    id: "config",
    method: "GET",
    path: `${ofCluster}/config`,
    role: "reader",
    summary: "The stored configuration, secrets shown as ***",
    answer: configAnswer,
  },
  {
    id: "config-versions",
    method: "GET",
    path: `${ofCluster}/config/versions`,
    role: "reader",
    summary: "Who changed the configuration, when and why; with an earlier version as it was stored",
    query: configVersionsQuery,
    answer: configVersionsAnswer,
    polled: true,
  },
  {
    id: "put-config",
    method: "PUT",
    path: `${ofCluster}/config`,
    role: "operator",
    summary: "Checks a configuration and stores it, or says what would change",
    body: configBody,
    mostBodyBytes: 1024 * 1024,
    answer: configChanged,
    guarded: true,
  },
] as const satisfies readonly Route[];
