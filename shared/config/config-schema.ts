import { z } from "zod";
import { type DefaultResource, parseDefaultResources } from "../engine/index.ts";
import { autostopSchema } from "./autostop-schema.ts";
import { connectionShape } from "./connection-schema.ts";
import { factsShape } from "./facts-schema.ts";
import { nodeArraySchema } from "./node-array-schema.ts";
import { flag, perNodeArray, positiveSeconds, seconds, text, wholeNumber } from "./setting-value.ts";

/** The engine's parser reads it, and names every problem with its place in the list. */
const defaultResources = z.unknown().transform((value, context): readonly DefaultResource[] => {
  const parsed = parseDefaultResources(value);
  if (parsed.ok) return parsed.defaultResources;
  for (const { path, message } of parsed.problems) {
    const prefix = `Cannot read default resource "${path}": `;
    const sentence = message.startsWith(prefix) ? message.slice(prefix.length) : message;
    context.addIssue({ code: "custom", message: sentence, params: { place: path } });
  }
  return [];
});

const sharedPool = z
  .object(
    {
      name: text,
      source: text.nullish(),
      initial: z.number("expected a number").min(0, "expected a number, 0 or more"),
      current: z.number("expected a number").min(0, "expected a number, 0 or more").optional(),
    },
    'expected an object with "name" and "initial"',
  )
  .transform(({ name, source, initial, current }) => ({
    name,
    source: source ?? null,
    initial,
    current: current ?? initial,
  }));

/** What the engine is told. */
export const engineShape = {
  idle_timeout: perNodeArray(seconds).optional(),
  boot_timeout: perNodeArray(positiveSeconds).optional(),
  default_resources: defaultResources.optional(),
  disable_default_resources: flag.optional(),
  nodearrays: z.record(z.string(), nodeArraySchema, "expected an object of node arrays").default({}),
  failed_nodes: z.enum(["keep", "delete", "retry"], 'expected "keep", "delete" or "retry"').optional(),
  compatibility: z.enum(["scalelib"], 'expected "scalelib", or no such key').optional(),
  exclusive_scope: z.enum(["iteration", "job"], 'expected "iteration" or "job"').optional(),
  ignored_nodes: z.array(text, "expected a list of node names").optional(),
  shared_pools: z.array(sharedPool, "expected a list of pools").optional(),
  max_distinct_resources: wholeNumber.optional(),
  max_constraint_parts: wholeNumber.optional(),
  max_constraint_depth: wholeNumber.optional(),
  max_scheduler_hosts: wholeNumber.optional(),
  max_plan_checks: wholeNumber.optional(),
};

const attributePatterns = z
  .array(
    z
      .string("expected a text")
      .regex(/^[A-Z*?[]\S{0,299}$/, "expected an attribute of nodes such as Configuration.application_*"),
    "expected a list of attributes of nodes",
  )
  .max(50, "expected at most 50 of them");

const dollars = "expected US dollars above 0";

/** What the cycle around the engine is told. */
const cycleShape = {
  max_snapshot_age: positiveSeconds.default(300),
  demand_ttl: positiveSeconds.default(300),
  action_ttl: positiveSeconds.default(600),
  operation_timeout: positiveSeconds.default(900),
  node_list_lag: seconds.default(120),
  drain_timeout: seconds.default(300),
  capacity_failure_backoff: seconds.default(300),
  failed_node_retries: wholeNumber.default(3),
  boot_failures_before_backoff: wholeNumber.default(3),
  boot_failure_backoff: seconds.default(1800),
  target_attributes: attributePatterns.default([]),
  max_sources: z
    .int("expected a whole number")
    .min(1, "expected 1 or more")
    .max(1_000, "expected at most 1000")
    .default(50),
  read_only: flag.default(false),
  max_nodes_per_plan: wholeNumber.optional(),
  max_cores: wholeNumber.optional(),
  monthly_budget_usd: z.number(dollars).positive(dollars).optional(),
};

export const engineSchema = z.looseObject(engineShape, "expected an object of settings");

/** One cluster's `autoscale.json` with its includes merged. Unknown keys pass, and are warned of. */
export const configSchema = z.looseObject(
  {
    cluster_name: text.optional(),
    ...connectionShape,
    ...engineShape,
    ...cycleShape,
    autostop: autostopSchema.prefault({}),
    ...factsShape,
  },
  "expected an object of settings",
);

export type EngineKeys = z.output<typeof engineSchema>;
export type ConfigKeys = z.output<typeof configSchema>;
