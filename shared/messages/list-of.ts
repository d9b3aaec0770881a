import { z } from "zod";

/** What the lists hold, for whoever documents the schemas: the lists themselves take anything. */
export const listItems = new WeakMap<object, { readonly item: z.ZodType; readonly most: number }>();

/**
 * A list of which the items are checked one by one afterwards: one that does not check out is set aside, and the others
 * count. `documented` is what the published schema says of an item.
 */
export function listOf(documented: z.ZodType, most: number) {
  const list = z.array(z.unknown()).max(most);
  listItems.set(list, { item: documented, most });
  return list;
}
