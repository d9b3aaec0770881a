import { z } from "zod";

/** Of one list: the first ones are enough to mend it, and each costs memory. */
const mostIssues = 200;

/** What the lists hold, for whoever documents the schemas: a transformation does not show it. */
export const listItems = new WeakMap<object, { readonly item: z.ZodType; readonly most: number }>();

/** A list that is no longer checked once it has enough mistakes: a hostile one could have millions. */
export function listOf<T extends z.ZodType>(item: T, most: number) {
  const list = z
    .array(z.unknown())
    .max(most)
    .transform((values, context) => {
      const checked: z.output<T>[] = [];
      for (const [index, value] of values.entries()) {
        if (context.issues.length >= mostIssues) break;
        const parsed = item.safeParse(value, { reportInput: true });
        if (parsed.success) checked.push(parsed.data);
        for (const issue of parsed.error?.issues ?? []) {
          const path = [index, ...issue.path];
          // Of the same kind as before: what one job lacks is what the list lacks, further down.
          context.issues.push({ ...issue, input: issue.input, path } as z.core.$ZodRawIssue);
        }
      }
      return checked;
    });
  listItems.set(list, { item, most });
  return list;
}
