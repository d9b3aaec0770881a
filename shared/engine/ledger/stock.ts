import { isSize, type Resources, type Scalar } from "../model/resources.ts";
import { bytesPer, inOwnUnit, type Magnitude, type Size, size } from "../model/units.ts";

/** Column 0 of every table: 1 while no job is on the node. An exclusive job demands it. */
export const VACANT = 0;
/** Column 1 of every table: 1 while the node takes further jobs. Every job demands it. */
export const OPEN = 1;
const FIRST_RESOURCE = 2;

/** Stands for a resource that a node does not have, or that is no number: no amount fits into it. */
export const UNDEFINED_AMOUNT = Number.NEGATIVE_INFINITY;

/** The resources that jobs of this plan consume, each with a column of its own. Others are never counted down. */
export class Columns {
  private readonly byName = new Map<string, number>();
  readonly names: string[] = [];

  /** The column of a resource, a new one if need be. */
  of(resource: string): number {
    const known = this.byName.get(resource);
    if (known !== undefined) return known;
    const column = FIRST_RESOURCE + this.names.length;
    this.byName.set(resource, column);
    this.names.push(resource);
    return column;
  }

  find(resource: string): number | undefined {
    return this.byName.get(resource);
  }

  get count(): number {
    return FIRST_RESOURCE + this.names.length;
  }
}

/** What one unit of each column is: 1 for numbers, bytes for sizes. Stocks with equal units share one object. */
export interface Units {
  readonly perColumn: readonly number[];
}

/** What nodes are born with. Nodes with the same resources share one stock. */
export interface Stock {
  readonly resources: Resources;
  /** Per column, sizes in bytes. */
  readonly amounts: readonly number[];
  readonly units: Units;
}

/** Makes stocks, one object per distinct set of resources. */
export class Stocks {
  private readonly columns: Columns;
  private readonly byKey = new Map<string, Stock>();
  private readonly unitsByKey = new Map<string, Units>();

  constructor(columns: Columns) {
    this.columns = columns;
  }

  of(resources: Resources): Stock {
    const key = JSON.stringify(resources);
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const values = this.columns.names.map((name) =>
      Object.hasOwn(resources, name) ? resources[name] : undefined,
    );
    const stock: Stock = {
      resources,
      amounts: [1, 1, ...values.map(amountOf)],
      units: this.unitsOf([1, 1, ...values.map(unitOf)]),
    };
    this.byKey.set(key, stock);
    return stock;
  }

  private unitsOf(perColumn: readonly number[]): Units {
    const key = perColumn.join();
    const known = this.unitsByKey.get(key) ?? { perColumn };
    this.unitsByKey.set(key, known);
    return known;
  }
}

/** A value as a plain number, sizes in bytes; not a number: nothing can be taken of it. */
export function amountOf(value: Scalar | undefined): number {
  if (typeof value === "number") return value;
  return value !== undefined && isSize(value) ? value.bytes : UNDEFINED_AMOUNT;
}

/** What a plain number asked of a value means: bytes of the size's own unit, or just itself. */
export function unitOf(value: Scalar | undefined): number {
  return value !== undefined && isSize(value) ? bytesPer(value.magnitude) : 1;
}

/** What is left of a value, in its own form. */
export function withAmount(value: Scalar, amount: number): Scalar {
  return isSize(value) ? { bytes: amount, magnitude: value.magnitude } : amount;
}

const MEMORY_UNITS: ReadonlyMap<string, Magnitude> = new Map([
  ["memb", "b"],
  ["memkb", "k"],
  ["memmb", "m"],
  ["memgb", "g"],
  ["memtb", "t"],
]);

/** The five memory resources with their units, in order. */
export function memoryResources(memoryBytes: number): readonly (readonly [name: string, amount: Size])[] {
  return [...MEMORY_UNITS].map(([name, magnitude]) => [name, { bytes: memoryBytes, magnitude }]);
}

/** A reported value as the engine keeps it: a plain number for a memory resource is in that resource's unit. */
export function normalise(name: string, value: Scalar): Scalar {
  const unit = MEMORY_UNITS.get(name);
  if (unit === undefined) return value;
  if (typeof value === "number") return size(value, unit);
  return isSize(value) && value.magnitude !== unit ? { bytes: value.bytes, magnitude: unit } : value;
}

/** The number that people see: 20 for `20g`. */
export function plainNumber(value: Scalar): Scalar {
  return isSize(value) ? inOwnUnit(value) : value;
}
