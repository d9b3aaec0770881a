import { memberOf } from "../../../../shared/engine/index.ts";
import { type Amount, amountsOf, textKey, written } from "./hosts.ts";
import type { JobContext, LeftOut } from "./job-context.ts";
import { booleanIn } from "./pbs-resources.ts";
import type { Chunk } from "./select.ts";

export type Constraint = Readonly<Record<string, unknown>>;

/** What one chunk asks of its host. */
export interface Wish {
  /** What it uses up. */
  readonly amounts: ReadonlyMap<string, Amount>;
  /** What its host has to be. */
  readonly constraints: readonly Constraint[];
  readonly notes: readonly string[];
}

/** `isApart`: no other chunk of its job is on its host. */
export function wishOf(
  { resources }: Chunk,
  context: JobContext,
  { isApart }: { readonly isApart: boolean },
): Wish | LeftOut {
  const amounts = new Map<string, Amount>();
  const constraints: Constraint[] = [];
  const notes: string[] = [];
  for (const [name, value] of resources) {
    const kind = context.types.kindOf(name);
    if (kind === "none") continue;
    if (name === "host" || name === "vnode") {
      const host = context.hostOf.get(value.toLowerCase());
      if (host === undefined) notes.push(`waits for host ${value}, which cannot be ordered by name`);
      constraints.push({ "node.hostname": host?.name ?? value });
      continue;
    }
    if (!context.types.isScheduled(name)) {
      notes.push(
        `${name}=${value}: the line "resources" of sched_config does not have it, so that PBS does not look at it`,
      );
      continue;
    }
    const property = propertyOf(name, value, context);
    if (property !== undefined) {
      constraints.push(...property);
      continue;
    }
    if (kind === "boolean") {
      const asked = booleanIn(value);
      if (asked === undefined) return { leftOut: `${name}=${value}, expected True or False` };
      // What a node does not have is false.
      if (asked || context.haveSome.has(name)) constraints.push({ [name]: asked });
    } else if (kind === "text") {
      if (name !== "arch" || value !== "linux") constraints.push({ [name]: value });
    } else if (kind === "texts") {
      constraints.push({ [textKey(name, value)]: true });
    } else {
      const [amount] = amountsOf(name, kind, value);
      if (amount === undefined) return { leftOut: `${name}=${value}, expected an amount` };
      // PBS starts nothing on a host without a free CPU, not even what asks for none.
      if (name === "ncpus" && amount[1].value === 0 && context.fullHosts.length > 0)
        constraints.push({ not: { "node.hostname": context.fullHosts } });
      const enough = isApart ? atLeast(amount, name, context) : undefined;
      if (enough === undefined) amounts.set(...amount);
      else constraints.push(enough);
    }
  }
  return { amounts, constraints, notes };
}

/**
 * What PBS compares, and jobs do not use up: any of the amounts that nodes have. Undefined: it is used up, by chunks of one job that
 * share a host at least; or no node is known to have as much.
 */
function atLeast(
  [key, amount]: readonly [string, Amount],
  name: string,
  { types, amountsOfNodes }: JobContext,
): Constraint | undefined {
  if (types.isUsedUp(name)) return undefined;
  const enough = (amountsOfNodes.get(key) ?? []).filter((each) => each >= Number(amount.value));
  return enough.length === 0 ? undefined : { [key]: enough.map((value) => written({ ...amount, value })) };
}

/** Undefined: a resource as any other. */
function propertyOf(
  name: string,
  value: string,
  { settings }: JobContext,
): readonly Constraint[] | undefined {
  const property = propertyNamed(name, settings);
  switch (property) {
    case undefined:
      return undefined;
    case "ungrouped":
      return [{ "in-a-placement-group": booleanIn(value) !== true }];
    case "node.placement_group":
      return [value === noGroup ? { "in-a-placement-group": false } : { [property]: value }];
    case "node.nodearray":
    case "node.vm_size":
      return [{ [property]: value }];
  }
}

/** The value of `group_id` on nodes outside of placement groups, as azpbs sets it. */
export const noGroup = "_none_";

/** A resource that settings give to a node array is what they say, and no property of CycleCloud's. */
export function propertyNamed(name: string, settings: JobContext["settings"]) {
  if (Object.values(settings.node_arrays).some(({ resources }) => Object.hasOwn(resources, name)))
    return undefined;
  return memberOf(settings.properties, name);
}

/** All chunks on one host; undefined when no host can be all that they ask for. */
export function together(wishes: readonly { readonly count: number; readonly wish: Wish }[]): Wish {
  const amounts = new Map<string, Amount>();
  for (const { count, wish } of wishes) {
    for (const [name, amount] of wish.amounts) {
      const before = amounts.get(name)?.value ?? 0;
      amounts.set(name, { ...amount, value: Number(before) + Number(amount.value) * count });
    }
  }
  const constraints = wishes.flatMap(({ wish }) => wish.constraints);
  return {
    amounts,
    constraints: [...new Map(constraints.map((each) => [JSON.stringify(each), each])).values()],
    notes: [...new Set(wishes.flatMap(({ wish }) => wish.notes))],
  };
}

export function amountsWritten(amounts: Wish["amounts"]): Constraint {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, written(amount)]));
}
