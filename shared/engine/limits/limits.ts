import type { CapName, LimitName } from "../model/limits.ts";
import { backOff } from "./back-off.ts";
import { bucket } from "./bucket.ts";
import { budget } from "./budget.ts";
import { cluster } from "./cluster.ts";
import { family } from "./family.ts";
import type { Cap, Limit } from "./limit.ts";
import { maxCores } from "./max-cores.ts";
import { maxNodesPerPlan } from "./max-nodes-per-plan.ts";
import { monthlyBudget } from "./monthly-budget.ts";
import { nodeArray } from "./node-array.ts";
import { placementGroup } from "./placement-group.ts";
import { region } from "./region.ts";
import { spotShare } from "./spot-share.ts";
import { unknownPrice } from "./unknown-price.ts";

/** Every limit with its rules. */
export const limits: Readonly<Record<LimitName, Limit>> & Readonly<Record<CapName, Cap>> = {
  bucket,
  region,
  cluster,
  "node-array": nodeArray,
  family,
  "placement-group": placementGroup,
  "spot-share": spotShare,
  "max-nodes-per-plan": maxNodesPerPlan,
  "max-cores": maxCores,
  "monthly-budget": monthlyBudget,
  "unknown-price": unknownPrice,
  "back-off": backOff,
  budget,
};
