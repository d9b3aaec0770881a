import type { PlannedAddition } from "../api/index.ts";
import { bootSecondsOf } from "../cycle/index.ts";
import { kindName, type Plan, sizesByKind } from "../engine/index.ts";
import type { Outlook } from "./outlook.ts";

/** What a plan creates and starts, by node array and size in the order of the plan; of `plan` where that is a part. */
export function additionsOf(outlook: Outlook, plan: Plan = outlook.plan): readonly PlannedAddition[] {
  const { input, loaded, nodesByName } = outlook;
  const bootSeconds = bootSecondsOf(loaded.history);
  const sizes = sizesByKind(input.cluster);
  const started = plan.start.flatMap(({ name }) => nodesByName.get(name) ?? []);
  const parts = [...plan.create, ...started.map((node) => ({ ...node, count: 1 }))];
  return [...Map.groupBy(parts, kindName).values()].flatMap((sets) => {
    const [first] = sets;
    if (first === undefined) return [];
    const { nodeArray, vmSize } = first;
    const price = sizes.get(kindName(first))?.pricePerHourUsd;
    const count = sets.reduce((sum, set) => sum + set.count, 0);
    const readyInSeconds = bootSeconds(nodeArray);
    return [{ nodeArray, vmSize, count, usdPerHour: price ?? null, readyInSeconds }];
  });
}

/** What of `all` goes beyond `before`. */
export function beyond(
  all: readonly PlannedAddition[],
  before: readonly PlannedAddition[],
): readonly PlannedAddition[] {
  const countBefore = new Map(before.map((addition) => [kindName(addition), addition.count]));
  return all
    .map((addition) => ({ ...addition, count: addition.count - (countBefore.get(kindName(addition)) ?? 0) }))
    .filter(({ count }) => count > 0);
}
