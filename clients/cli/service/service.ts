import type { RouteId } from "../../../shared/api/index.ts";
import type { AnswerOf } from "../../../shared/service/index.ts";

export type { RouteId } from "../../../shared/api/index.ts";
export type { AnswerOf } from "../../../shared/service/index.ts";

/** The arguments of a call. Path parameters other than `cluster`; queries and bodies as in the route's schemas. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** For calls that replace something: the ETag of what was read, `none` if there was nothing. */
  readonly seen?: { readonly etag: string } | "none";
  /** Of an action: the same key again asks for nothing new. */
  readonly key?: string;
}

/** A cluster's service: the HTTP API, the same over the storage account itself, or its views over files. */
export interface Service {
  readonly cluster: string;
  /** This process answers itself, from the storage account or files: nothing is known of the function app. */
  readonly isHere?: true;
  /** Throws CommandFailure with what went wrong and what to do when there is no answer, or a problem. */
  ask<Id extends RouteId>(route: Id, call?: Call): Promise<AnswerOf<Id>>;
  /** The cluster's printing settings as written; known after the first answer. */
  printing(): unknown;
}
