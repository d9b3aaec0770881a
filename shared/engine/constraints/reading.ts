import { isJsonObject, type Scalar } from "../values/resources.ts";
import { parseAmount } from "../values/units.ts";

/** Any constraint, as rules see those that a constraint consists of. */
export interface AnyConstraint {
  readonly kind: string;
}

/** Why a piece of JSON is no constraint or default resource. */
export interface Problem {
  /** Where it is, as a path into the JSON: `[0].or[1].ncpus`. */
  readonly path: string;
  readonly message: string;
}

/** A key of an object of constraints with its value. */
export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** Deeper nesting is refused: no scheduler writes it, and it would cost stack. */
const maxConstraintDepth = 32;
/** The most constraints and options of one job together. */
const maxConstraintParts = 10_000;
/** A hostile message could hold a million mistakes; the first ones are enough to repair it. */
const mostProblems = 20;

/** Reads the constraints of one job, and collects what is wrong with them. */
export class Reader {
  readonly problems: Problem[] = [];
  readonly #readEntry: (entry: Entry, reader: Reader) => readonly AnyConstraint[];
  #parts = 0;

  constructor(readEntry: (entry: Entry, reader: Reader) => readonly AnyConstraint[]) {
    this.#readEntry = readEntry;
  }

  /** An object (several keys mean "and") or a list of objects. */
  all(json: unknown, path: string, depth: number): readonly AnyConstraint[] {
    if (depth > maxConstraintDepth) {
      this.refuse(path, `Cannot read constraint "${path}": nested deeper than ${maxConstraintDepth} levels`);
      return [];
    }
    if (Array.isArray(json)) {
      if (!this.affords(path, json.length)) return [];
      return json.flatMap((child: unknown, index) => this.all(child, `${path}[${index}]`, depth + 1));
    }
    if (!isJsonObject(json)) {
      this.refuseValue(path, json, "an object or a list of objects");
      return [];
    }
    const entries = Object.entries(json);
    if (!this.affords(path, entries.length)) return [];
    return entries.flatMap(([key, value]) =>
      this.#readEntry({ key, value, path: member(path, key), depth }, this),
    );
  }

  refuse(path: string, message: string): void {
    if (this.problems.length < mostProblems) this.problems.push({ path, message });
  }

  refuseValue(path: string, value: unknown, expected: string): void {
    this.refuse(path, `Cannot read constraint "${path}": ${show(value)}, expected ${expected}`);
  }

  /** Counts more parts; false (once reported) when there are too many. */
  affords(path: string, parts: number): boolean {
    const before = this.#parts;
    this.#parts += parts;
    if (this.#parts <= maxConstraintParts) return true;
    if (before <= maxConstraintParts)
      this.refuse(path, `Cannot read constraints: more than ${maxConstraintParts} parts, expected fewer`);
    return false;
  }

  /** Accepts what the field's configurations hold: true, "true", 1. Null: none of them, which is reported. */
  flag({ value, path }: Entry): boolean | null {
    // Not String(value): an object may bring a toString of its own that is no function.
    const text = typeof value === "object" ? "" : String(value).toLowerCase();
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0") return false;
    this.refuseValue(path, value, "true or false");
    return null;
  }

  /** One value or a list of them. Null: it is neither, which is reported. */
  options({ value, path }: Entry): readonly Scalar[] | null {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length === 0) {
      this.refuseValue(path, value, "at least one option");
      return null;
    }
    if (!this.affords(path, list.length)) return null;
    const options: Scalar[] = [];
    for (const item of list) {
      if (!isJsonScalar(item)) {
        this.refuseValue(path, item, "a text, a number, true, false or null");
        return null;
      }
      options.push(typeof item === "string" ? (parseAmount(item) ?? item) : item);
    }
    return options;
  }

  /** A list of constraints of which each is one part. Null: it is none, which is reported. */
  choices({ value, path, depth }: Entry): readonly AnyConstraint[] | null {
    if (!Array.isArray(value) || value.length === 0) {
      this.refuseValue(path, value, "a list with at least one constraint");
      return null;
    }
    if (!this.affords(path, value.length)) return null;
    return value.map((child: unknown, index) => conjunction(this.all(child, `${path}[${index}]`, depth + 1)));
  }
}

/** One constraint for several that all hold. */
export function conjunction(constraints: readonly AnyConstraint[]): AnyConstraint {
  const [only] = constraints;
  const and = { kind: "and", all: constraints };
  return constraints.length === 1 && only !== undefined ? only : and;
}

export function isJsonScalar(json: unknown): json is string | number | boolean | null {
  return json === null || typeof json === "string" || typeof json === "boolean" || Number.isFinite(json);
}

/** Shows a value in an error message, cut short: messages go to logs. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The path of a member: `parent.key`, or `parent["a b"]` when the key is no plain name. */
export function member(path: string, key: string): string {
  return /^[\w.-]+$/.test(key) ? `${path}${path === "" ? "" : "."}${key}` : `${path}[${JSON.stringify(key)}]`;
}
