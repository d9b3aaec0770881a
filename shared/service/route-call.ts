import type { z } from "zod";
import type { Answer, RouteId, routes } from "../api/index.ts";
import type { Answered } from "./answered.ts";

type Routes = (typeof routes)[number];
type RouteOf<Id extends RouteId> = Extract<Routes, { readonly id: Id }>;

/** The output of a schema that a route may or may not have. */
type OutputOf<R, Key extends string> = R extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** The `{names}` in a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

export type AnswerOf<Id extends RouteId> = Answer<RouteOf<Id>["answer"]>;
/** Checked; undefined for a route that takes none. */
type QueryOf<Id extends RouteId> = OutputOf<RouteOf<Id>, "query">;
/** Checked, except where the route leaves that to its answer (`bodyIsChecked: "by-answer"`). */
type BodyOf<Id extends RouteId> =
  RouteOf<Id> extends { readonly bodyIsChecked: "by-answer" } ? unknown : OutputOf<RouteOf<Id>, "body">;

/** What a caller that replaces something has seen: the ETag, nothing, something, or it does not matter. */
export type Seen = { readonly etag: string } | "none" | "some" | "any";

export interface CallDetails {
  /** Known for certain: it goes into the record instead of the name that the caller gives. */
  readonly callerName?: string | undefined;
  readonly seen?: Seen | undefined;
  /** Names the request: the same key again asks for nothing new. */
  readonly idempotencyKey?: string | undefined;
}

export interface RouteCall<Id extends RouteId> extends CallDetails {
  readonly id: Id;
  /** Empty for a route without a cluster. */
  readonly cluster: string;
  readonly params: Readonly<Record<NamesIn<RouteOf<Id>["path"]>, string>>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
}

/** Answers one route. Throws what a store throws, and StaleSnapshotError; `answerCall` makes problems of those. */
export type Handler<P, Id extends RouteId> = (
  ports: P,
  call: RouteCall<Id>,
) => Promise<Answered<AnswerOf<Id>>>;

export type AnswersFrom<P, Ids extends RouteId = RouteId> = { readonly [Id in Ids]: Handler<P, Id> };
