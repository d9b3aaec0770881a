import type { z } from "zod";
import type { problemSchema, routes } from "../../../shared/api/index.ts";

type AnyRoute = (typeof routes)[number];
type Method = Lowercase<AnyRoute["method"]>;
type At<Path extends string, M extends Method> = Extract<AnyRoute, { path: Path; method: Uppercase<M> }>;
type MethodsAt<Path extends string> = Lowercase<Extract<AnyRoute, { path: Path }>["method"]>;

/** The names in braces of a path: `clusters/{cluster}/jobs/{job}/explain` has `cluster` and `job`. */
type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Parameters<Rest>
  : never;

type PathOf<Path extends string> = [Parameters<Path>] extends [never]
  ? { path?: never }
  : { path: Record<Parameters<Path>, string> };

/** Numbers and flags are written as text in an address, and read from it. */
type Writable<T> = { [K in keyof T]: unknown extends T[K] ? string | number | boolean : T[K] };
type QueryOf<R> = R extends { query: infer Q extends z.ZodType }
  ? Writable<z.input<Q>>
  : Record<never, never>;
type Query<Q> = Record<never, never> extends Q ? { query?: Q } : { query: Q };

/** Not read-only: openapi-fetch would take a read-only list for an object. */
interface Json<T> {
  content: { "application/json": T };
}
type Body<R> = R extends { body: infer B extends z.ZodType }
  ? { requestBody: Json<z.input<B>> }
  : { requestBody?: never };

type OperationOf<R, Path extends string> = Body<R> & {
  parameters: Query<QueryOf<R>> &
    PathOf<Path> & {
      header?: { "If-Match"?: string; "If-None-Match"?: string };
    };
  responses: {
    200: Json<R extends { answer: infer A extends z.ZodType } ? z.output<A> : never>;
    default: { content: { "application/problem+json": z.output<typeof problemSchema> } };
  };
};

/** Every path of the API below `/api`, in the form that openapi-fetch takes. */
export type ApiPaths = {
  [P in AnyRoute["path"] as `/${P}`]: { [M in MethodsAt<P>]: OperationOf<At<P, M>, P> };
};
