import { z } from "zod";
import { constraintDefinitions } from "../engine/index.ts";
import { constraintsSchema, queueMessageSchema } from "./job-demand.ts";
import { schedulerEventSchema } from "./scheduler-event.ts";
import { listItems } from "./sizes.ts";

/** The messages that schedulers post and get, as JSON Schema documents (draft 2020-12) by file name. */
export function messageSchemas(): Readonly<Record<string, object>> {
  return {
    "job-demand.schema.json": {
      ...describe(queueMessageSchema, "A message of the queue job-demand"),
      $defs: constraintDefinitions(),
    },
    "scheduler-event.schema.json": describe(schedulerEventSchema, "A message of a queue events-<source>"),
  };
}

function describe(schema: z.ZodType, title: string): object {
  return { title, ...toJsonSchema(schema) };
}

/** The schema of messages as senders write them, without the defaults that reading adds. */
function toJsonSchema(schema: z.ZodType): object {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const list = listItems.get(zodSchema);
      if (list !== undefined)
        Object.assign(jsonSchema, {
          type: "array",
          maxItems: list.most,
          items: inner(list.item),
        });
      if (zodSchema === constraintsSchema) Object.assign(jsonSchema, { $ref: "#/$defs/constraints" });
      const respelled = behindPreprocess(zodSchema);
      if (respelled !== undefined) Object.assign(jsonSchema, inner(respelled));
    },
  });
}

function inner(schema: z.ZodType): object {
  const { $schema: _, ...rest } = toJsonSchema(schema) as Record<string, unknown>;
  return rest;
}

/** The schema behind a `z.preprocess`, which only respells keys: the camelCase spelling is the documented one. */
function behindPreprocess(schema: unknown): z.ZodType | undefined {
  if (!(schema instanceof z.ZodPipe) || !(schema.in instanceof z.ZodTransform)) return undefined;
  return schema.out as unknown as z.ZodType;
}
