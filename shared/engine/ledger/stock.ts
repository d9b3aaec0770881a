import { amountOf, undefinedAmount } from "../values/amounts.ts";
import { isSize, memberOf, type Resources, type Scalar } from "../values/resources.ts";
import { inOwnUnit, type Magnitude, type Size, size } from "../values/units.ts";

/** The resources of unused nodes. Nodes with the same resources share one stock. */
export interface Stock {
  readonly resources: Resources;
}

/** Makes stocks, one object per distinct set of resources. */
export class Stocks {
  readonly #byKey = new Map<string, Stock>();

  of(resources: Resources): Stock {
    const key = JSON.stringify(resources);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const stock: Stock = { resources };
    this.#byKey.set(key, stock);
    return stock;
  }
}

/** The amount left of a value, in the form of the value. */
export function withAmount(value: Scalar, amount: number): Scalar {
  return isSize(value) ? { bytes: amount, magnitude: value.magnitude } : amount;
}

const memoryUnits: ReadonlyMap<string, Magnitude> = new Map([
  ["memb", "b"],
  ["memkb", "k"],
  ["memmb", "m"],
  ["memgb", "g"],
  ["memtb", "t"],
]);

/** The least memory in bytes that is said in any unit; undefined: none is. */
export function memoryOf(resources: Resources): number | undefined {
  const said = [...memoryUnits.keys()].flatMap((name) => {
    const value = memberOf(resources, name);
    const bytes = value === undefined ? undefinedAmount : amountOf(normalise(name, value));
    return Number.isFinite(bytes) ? [bytes] : [];
  });
  return said.length === 0 ? undefined : Math.min(...said);
}

/** The five memory resources with their units, in order. */
export function memoryResources(memoryBytes: number): readonly (readonly [name: string, amount: Size])[] {
  return [...memoryUnits].map(([name, magnitude]) => [name, { bytes: memoryBytes, magnitude }]);
}

/** A reported value as the engine keeps it: a plain number for a memory resource is in that resource's unit. */
export function normalise(name: string, value: Scalar): Scalar {
  const unit = memoryUnits.get(name);
  if (unit === undefined) return value;
  if (typeof value === "number") return size(value, unit);
  return isSize(value) && value.magnitude !== unit ? { bytes: value.bytes, magnitude: unit } : value;
}

/** The number that people see: 20 for `20g`. */
export function plainNumber(value: Scalar): Scalar {
  return isSize(value) ? inOwnUnit(value) : value;
}
