import type { SharedPool } from "../../../shared/engine/index.ts";
import type { ConstraintJson, Option } from "./constraints.ts";

/** What identifies a shared resource: its name, and who counts it (a queue, a licence server). */
export interface SharedIdentity {
  readonly name: string;
  readonly source?: string | null;
}

/** Something of which there is a limited amount for all jobs together, wherever they run: licences, the slots of a queue. */
export class SharedConsumableResource {
  readonly name: string;
  readonly source: string | null;
  /** What there is when nobody takes any. */
  readonly initial: number;
  /** What is left now. */
  readonly current: number;

  constructor(about: SharedIdentity & { readonly initial: number; readonly current?: number }) {
    const { name, source = null, initial, current = initial } = about;
    for (const [field, value] of [
      ["initial", initial],
      ["current", current],
    ] as const)
      if (!Number.isFinite(value))
        throw new TypeError(`Cannot make resource "${name}": ${field} is ${value}, expected a number`);
    this.name = name;
    this.source = source;
    this.initial = initial;
    this.current = current;
  }

  /** The constraint of a job that takes so much for each of its slots or nodes, or with `once` for all of them together. */
  take(amount: number, options: { readonly once?: boolean } = {}): ConstraintJson {
    return sharedConsumable([this], amount, options);
  }

  /** The pool for the planner's settings; a pool there counts more than what jobs say of it. */
  toPool(): SharedPool {
    const { name, source, initial, current } = this;
    return { name, source, initial, current };
  }
}

/** Takes from several shared resources together, or from none of them. */
export function sharedConsumable(
  resources: readonly SharedConsumableResource[],
  amount: number,
  { once = false }: { readonly once?: boolean } = {},
): ConstraintJson {
  return {
    "shared-consumable-constraint": resources.map(({ name, source, initial, current }) => ({
      "resource-name": name,
      ...(source !== null && { source }),
      "initial-value": initial,
      "current-value": current,
      requested: amount,
      ...(once && { "decrement-once": true }),
    })),
  };
}

/** A value that all jobs share and none uses up, such as the version of something. */
export class SharedNonConsumableResource {
  readonly name: string;
  readonly source: string | null;
  readonly current: Option;

  constructor({ name, source = null, current }: SharedIdentity & { readonly current: Option }) {
    this.name = name;
    this.source = source;
    this.current = current;
  }

  /** The constraint of a job that runs only while the value is this one. */
  is(wanted: Option): ConstraintJson {
    const { name, source, current } = this;
    return {
      "shared-non-consumable-constraint": {
        "resource-name": name,
        ...(source !== null && { source }),
        "current-value": current,
        requested: wanted,
      },
    };
  }
}
