import { z } from "zod";
import { defined } from "../collections/defined.ts";

/** An object that the OpenAPI document has under a name of its own. */
export function named<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape, description?: string) {
  return z.object(shape).meta({ id, ...defined({ description }) });
}

/** The same for what a caller sends: a key that nobody knows is refused. */
export function request<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape, description?: string) {
  return z.strictObject(shape).meta({ id, ...defined({ description }) });
}

export function list<S extends z.ZodType>(of: S, about: string) {
  return z.array(of).describe(about);
}

/** `about` says what null means. */
export function orNull<S extends z.ZodType>(of: S, about: string) {
  return of.nullable().describe(about);
}

/** `about` says what it means that it is absent. */
export function optional<S extends z.ZodType>(of: S, about: string) {
  return of.optional().describe(about);
}
