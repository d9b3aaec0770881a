import type { RouteId } from "../../../shared/api/index.ts";
import type { AnswerOf } from "../../../shared/service/index.ts";

export type { RouteId } from "../../../shared/api/index.ts";
export type { AnswerOf } from "../../../shared/service/index.ts";

/** What a call says beside its route. Parameters of the path other than `cluster`; queries and bodies as the route's schemas have them. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Of calls that replace something: the ETag of what was seen, `none` where there was nothing. */
  readonly seen?: { readonly etag: string } | "none";
}

/** A cluster's service: the HTTP API, the same over the storage account itself, or its views over files. */
export interface Service {
  readonly cluster: string;
  /** Throws CommandFailure with what went wrong and what to do when there is no answer, or a problem. */
  ask<Id extends RouteId>(route: Id, call?: Call): Promise<AnswerOf<Id>>;
  /** What the cluster's configuration says about printing, as written; known once something was answered. */
  printing(): unknown;
}
