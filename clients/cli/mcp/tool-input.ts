import { fromJsonSchema } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Route } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";

import type { Call } from "../service/service.ts";
import { timeOption, toSeconds } from "../time-values.ts";

export interface JsonSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export interface ObjectSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties: false;
}

/** As the SDK wants it: published, and not checked against. The service checks what it gets, and `refuseUnknown` does the rest. */
export function published<T extends Arguments>(schema: ObjectSchema) {
  return fromJsonSchema<T>(
    { ...schema },
    { getValidator: () => (given) => ({ valid: true, data: given as never, errorMessage: undefined }) },
  );
}

/** Throws a RangeError that names an argument which a tool does not have, or lacks. */
export function refuseUnknown({ properties, required = [] }: ObjectSchema, given: Arguments): void {
  const unknown = Object.keys(given).find((name) => !(name in properties));
  if (unknown !== undefined)
    throw new RangeError(
      `${JSON.stringify(unknown)} is no argument of this tool, expected one of ${Object.keys(properties).join(", ")}`,
    );
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw new RangeError(`${missing}: missing, expected by this tool`);
}

export type Arguments = Readonly<Record<string, unknown>>;

export const clusterProperty = {
  type: "string",
  description: "The cluster; may be left out where there is only one, or ccscale was started with --cluster",
};

/** Queries have these in Unix seconds, which people and assistants get wrong. */
const moments: readonly string[] = ["from", "until"];
const momentProperty = (description: string) => ({
  type: "string",
  description: `${description.replace(/^Unix seconds/, "A moment such as 2026-11-22T14:00Z, or how long ago, such as 90m or 7d")}`,
});

/** What a tool for this route takes: the parameters of its path, its query or its body, and a cluster. */
export function inputOf(route: Route): ObjectSchema {
  const { properties = {}, required = [], $defs } = asWritten(route.query ?? route.body ?? z.object({}));
  const params = paramsOf(route);
  return {
    type: "object",
    properties: {
      ...(route.path.includes("{cluster}") && { cluster: clusterProperty }),
      ...Object.fromEntries(params.map((name) => [name, { type: "string" }])),
      ...Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          moments.includes(name) ? momentProperty(descriptionOf(property)) : property,
        ]),
      ),
    },
    required: [...params, ...required],
    additionalProperties: false,
    ...($defs && { $defs }),
  };
}

/** The call of such arguments, and the cluster that they name. Throws a RangeError for a moment that is none. */
export function callOf(
  route: Route,
  { cluster, ...rest }: Arguments,
  nowSeconds: number,
): { readonly cluster: string | undefined; readonly call: Call } {
  const params = paramsOf(route);
  const isParam = ([name]: readonly [string, unknown]) => params.includes(name);
  const entries = Object.entries(rest);
  const others = entries.filter((entry) => !isParam(entry));
  return {
    cluster: cluster === undefined ? undefined : String(cluster),
    call: {
      params: Object.fromEntries(entries.filter(isParam).map(([name, value]) => [name, String(value)])),
      ...(route.body === undefined
        ? {
            query: Object.fromEntries(
              others.map(([name, value]) => [name, asQuery(name, value, nowSeconds)]),
            ),
          }
        : { body: Object.fromEntries(others) }),
    },
  };
}

/**
 * A schema as callers write what it takes, without what defaults and transforms make of it, and without lengths: the service checks
 * them, and a model reads all of this before the first question.
 */
export function asWritten(schema: z.ZodType): JsonSchema {
  const override = ({ jsonSchema }: { readonly jsonSchema: { minLength?: number; maxLength?: number } }) => {
    delete jsonSchema.minLength;
    delete jsonSchema.maxLength;
  };
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: "input", override }) as JsonSchema & {
    $schema?: string;
  };
  const own = made.$ref === undefined ? made : made.$defs?.[made.$ref.slice("#/$defs/".length)];
  return { ...own, ...(made.$defs && { $defs: made.$defs }) };
}

function paramsOf({ path }: Route): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).filter((name) => name !== "cluster");
}

function asQuery(name: string, value: unknown, nowSeconds: number): string | number | boolean {
  if (moments.includes(name)) return secondsOf(name, String(value), nowSeconds);
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

function secondsOf(name: string, text: string, nowSeconds: number): number {
  try {
    return toSeconds(timeOption(text), nowSeconds);
  } catch {
    throw new RangeError(
      `${name}: "${text}", expected a moment such as 2026-11-22T14:00Z, or how long ago, such as ${duration(5_400)} or 7d`,
    );
  }
}

function descriptionOf(property: object): string {
  return "description" in property ? String(property.description) : "";
}
