import type { z } from "zod";

/**
 * Of the whole API, in the header `api-version` of every answer. Within a version fields, kinds and routes are only added,
 * so readers pass over what they do not know; whatever else changes makes a new version.
 */
export const apiVersion = "1";

/** Of answers about a cluster: what its configuration says about printing (`output_columns`, `output_format`), as JSON. */
export const printingHeader = "output-settings";

/** A reader is told things; an operator changes them and sees what others sent; a node asks about itself. */
export type Role = "reader" | "operator" | "node";

/**
 * App roles of the API's registration in Microsoft Entra ID, by what a caller has to be: any one of these is enough, the
 * first is the least. Nodes have none: they show a key, or the login of their cluster.
 */
export const appRoles = {
  reader: ["Autoscale.Read", "Autoscale.Operate"],
  operator: ["Autoscale.Operate"],
} as const satisfies Partial<Record<Role, readonly string[]>>;

/** What the path of every route about one cluster begins with. */
export const ofCluster = "clusters/{cluster}";

export interface Route {
  /** Also the name of the function that serves it is made of it. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT";
  /** Below `/api/`, with `{parameters}`. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Largest body in bytes; absent: 64 KiB. */
  readonly mostBodyBytes?: number;
  /** The schema describes the body, and the answer checks it, with problems that name more than a schema can. */
  readonly bodyIsChecked?: "by-answer";
  readonly answer: z.ZodType;
  /** Answered with an ETag, 304 when nothing changed. */
  readonly polled?: true;
  /** Takes `If-Match` and `If-None-Match: *`: nothing is replaced that its caller has not seen. */
  readonly guarded?: true;
}

type Schemas = Omit<Route, "id" | "method" | "path" | "role" | "summary">;

/** Makes routes about one cluster; their paths are below the cluster's. */
function routesOf<M extends Route["method"], R extends Role, Always extends Partial<Route>>(
  method: M,
  role: R,
  always: Always,
) {
  return <Id extends string, Path extends string, S extends Schemas>(
    id: Id,
    path: Path,
    summary: string,
    schemas: S,
  ) => ({
    id,
    method,
    path: `${ofCluster}/${path}` as `${typeof ofCluster}/${Path}`,
    role,
    summary,
    ...schemas,
    ...always,
  });
}

export const view = routesOf("GET", "reader", {});
export const polledView = routesOf("GET", "reader", { polled: true });
/** A question with a body. It changes nothing. */
export const inquiry = routesOf("POST", "reader", {});
export const operatorView = routesOf("GET", "operator", {});
export const change = routesOf("POST", "operator", {});
