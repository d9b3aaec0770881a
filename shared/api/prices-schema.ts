import { z } from "zod";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { named, optional, orNull } from "./builders.ts";

/** What an hour of a node costs, and how that is known. */
const priceView = named("Price", {
  usdPerHour: z.number(),
  source: z
    .enum(["vm_sizes", "rule", "sheet", "shipped"])
    .describe(
      "The configuration's `vm_sizes`; its `price_rules` over a list price; Azure's list as it was read last; the list that is shipped",
    ),
  asOfSeconds: orNull(
    unixSeconds,
    "When the list had that price; with `rule`, the list price it starts from. Null: the configuration's own",
  ),
  isUpperBound: optional(
    z.literal(true),
    "The price of spot is not known: the regular price is the most that it can be",
  ),
});

/** A VM size of a node array, and what its nodes cost. */
const sizePriceView = named("SizePrice", {
  nodeArray: z.string(),
  vmSize: z.string(),
  location: z.string(),
  spot: z.boolean().describe("True: the array makes spot nodes, so that the spot price counts"),
  vcpuCount: count,
  usdPerHour: orNull(z.number(), "The price that counts here; null: not known, which is not 0"),
  usdPerCoreHour: orNull(z.number(), "The same for one usable vCPU"),
  regular: orNull(priceView, "Null: not known"),
  spotPrice: orNull(priceView, "Null: not known"),
  reservation: orNull(
    z.object({
      name: z.string(),
      nodes: count.describe("Nodes that are paid for; all arrays and sizes with this name share them"),
      running: count.describe("How many of them run"),
    }),
    "Pays for the first nodes, which then cost nothing more",
  ),
});

export const pricesAnswer = named("Prices", {
  ...aboutCluster,
  snapshotTakenAtSeconds: unixSeconds,
  prices: z.array(sizePriceView),
});

export type PriceView = Answer<typeof priceView>;
export type SizePriceView = Answer<typeof sizePriceView>;
export type PricesAnswer = Answer<typeof pricesAnswer>;
