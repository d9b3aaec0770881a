import { z } from "zod";
import { beyondBuckets, type Constraint, type PriceRule, parseConstraints } from "../engine/index.ts";
import { strict, text } from "./setting-value.ts";

/** The engine's parser reads it, and names every problem with its place. */
const select = z.unknown().transform((value, context): readonly Constraint[] => {
  const parsed = parseConstraints(value ?? {});
  const refuse = (message: string, path: string) =>
    context.addIssue({ code: "custom", message, params: { place: path === "" ? "" : `.${path}` } });
  if (!parsed.ok) {
    for (const { path, message } of parsed.problems) refuse(message, path);
    return [];
  }
  for (const name of beyondBuckets(parsed.constraints))
    refuse(
      `${name}, expected properties that all nodes of a size and array share, such as node.vm_family, node.vm_size, node.nodearray, node.location or node.spot`,
      "",
    );
  return parsed.constraints;
});

const percent = "expected a percentage above 0, at most 100";
const perCoreHour = "expected US dollars per core and hour, above 0";
const wantedEffect = "expected discount_percent, add_per_core_hour_usd or reserved_nodes";

const ruleShape = {
  name: text.optional(),
  select: select.prefault({}),
  discount_percent: z.number(percent).positive(percent).max(100, percent).optional(),
  add_per_core_hour_usd: z.number(perCoreHour).positive(perCoreHour).optional(),
  reserved_nodes: z
    .int("expected a whole number of nodes")
    .min(1, "expected 1 node or more")
    .max(1_000_000, "expected at most 1000000 nodes")
    .optional(),
};

const ruleSchema = strict(ruleShape, "expected an object of one rule").refine(
  (rule) =>
    rule.discount_percent !== undefined ||
    rule.add_per_core_hour_usd !== undefined ||
    rule.reserved_nodes !== undefined,
  wantedEffect,
);

/** `price_rules`: what the cluster pays that differs from the list. */
export const priceShape = {
  price_rules: z
    .array(ruleSchema, "expected a list of rules")
    .max(100, "expected at most 100 rules")
    .superRefine((rules, context) => {
      const names = rules.map(({ name }) => name);
      names.forEach((name, index) => {
        if (name !== undefined && names.indexOf(name) < index)
          context.addIssue({
            code: "custom",
            message: "expected a name that no other rule has",
            input: name,
            path: [index, "name"],
          });
      });
    })
    .optional(),
};

const priceSchema = z.object(priceShape);

/** In the engine's terms. A rule without a name is called by its place. */
export function toPriceRules({ price_rules: rules }: z.output<typeof priceSchema>): readonly PriceRule[] {
  return (rules ?? []).map((rule, index) => ({
    name: rule.name ?? `price_rules[${index}]`,
    select: rule.select,
    ...(rule.discount_percent !== undefined && { discountPercent: rule.discount_percent }),
    ...(rule.add_per_core_hour_usd !== undefined && { addPerCoreHourUsd: rule.add_per_core_hour_usd }),
    ...(rule.reserved_nodes !== undefined && { reservedNodes: rule.reserved_nodes }),
  }));
}
