import { z } from "zod";
import type { BudgetSettings, BudgetSubject } from "../ports/index.ts";
import { flag, strict, text } from "./setting-value.ts";

const dollars = "expected US dollars above 0";
const usd = z.number(dollars).positive(dollars);

const subjectKeys = ["node_array", "user", "account", "queue"] as const;
const amountKeys = ["monthly_usd", "daily_usd"] as const;

const longestName = 100;

const shape = {
  name: text
    .refine((name) => name.length <= longestName, `expected at most ${longestName} characters`)
    .optional(),
  node_array: text.optional(),
  user: text.optional(),
  account: text.optional(),
  queue: text.optional(),
  monthly_usd: usd.optional(),
  daily_usd: usd.optional(),
  hold: flag.default(false),
};

const budgetSchema = strict(shape, "expected an object of one budget")
  .superRefine((budget, context) => {
    for (const keys of [subjectKeys, amountKeys]) {
      if (keys.filter((key) => budget[key] !== undefined).length === 1) continue;
      const message = `expected exactly one of ${keys.slice(0, -1).join(", ")} and ${keys.at(-1)}`;
      context.addIssue({ code: "custom", message });
    }
  })
  .transform((budget): BudgetSettings => {
    const of = subjectOf(budget);
    const period = budget.daily_usd === undefined ? "month" : "day";
    const name = budget.name ?? `${of.key} ${of.name}, ${period === "day" ? "daily" : "monthly"}`;
    const { dimension, name: subject } = of;
    const limit = budget.daily_usd ?? budget.monthly_usd ?? 0;
    return { name, of: { dimension, name: subject }, period, usd: limit, hold: budget.hold };
  });

function subjectOf(
  budget: {
    readonly [Key in (typeof subjectKeys)[number]]?: string | undefined;
  },
): BudgetSubject & { readonly key: string } {
  const key = subjectKeys.find((each) => budget[each] !== undefined) ?? "account";
  return { key, dimension: key === "node_array" ? "nodeArray" : key, name: budget[key] ?? "" };
}

function subjectKey(dimension: BudgetSubject["dimension"]): (typeof subjectKeys)[number] {
  return dimension === "nodeArray" ? "node_array" : dimension;
}

/** `budgets`: what node arrays, users, accounts and queues may cost. */
export const budgetShape = {
  budgets: z
    .array(budgetSchema, "expected a list of budgets")
    .max(200, "expected at most 200 budgets")
    .superRefine((budgets, context) => {
      // A budget that does not check out has problems of its own, and is not transformed.
      if (budgets.some((budget) => !("of" in budget))) return;
      const refuse = (index: number, key: string, input: string, message: string) =>
        context.addIssue({ code: "custom", message, input, path: [index, key] });
      const names = budgets.map(({ name }) => name);
      const counted = budgets.map(({ of, period }) => `${of?.dimension} ${of?.name} ${period}`);
      budgets.forEach(({ of, period, name }, index) => {
        if (names.indexOf(name) < index)
          refuse(index, "name", name, "expected a name that no other budget has");
        if (of !== null && counted.indexOf(`${of.dimension} ${of.name} ${period}`) < index)
          refuse(index, subjectKey(of.dimension), of.name, `expected one budget for a ${period}`);
      });
    })
    .default([]),
};
