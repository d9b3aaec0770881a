import type { z } from "zod";
import { isDictionary } from "../json/json.ts";
import { excessOf } from "./sizes.ts";

/** Values of a member that are remembered: a list may have another one in each item. */
const mostValues = 1_000;
/** Names and values of an object that is remembered. */
const mostSteps = 100;

const mostForms = 100;

/** What items have the same members, in the same order. */
interface Form {
  readonly names: readonly string[];
  /** One for each name. Empty: the whole schema must judge such items. */
  readonly members: readonly MemberValues[];
  /** The members of such an item in the order of the schema; the absent ones with what the schema makes of them. */
  readonly blank: Readonly<Record<string, unknown>>;
}

/** What is known of values beside the schema. */
export interface Judges<T extends z.ZodObject> {
  readonly isOdd: (name: string, value: unknown) => boolean;
  /** By the name of the member: for those that are another in nearly every item. */
  readonly isPlain?: { readonly [Name in keyof z.output<T>]?: (value: unknown) => boolean };
}

/**
 * Makes readers of lists of objects. 100,000 jobs have few users, queues and constraints, and a whole schema takes long: a
 * reader checks each member by that member's schema, and a value that the member had in an earlier item not again. Items
 * share equal values, such as their constraints. A reader returns undefined for an item that the whole schema must judge:
 * one with a member that the schema does not have, or with a value that does not check out or that `isOdd`. A value that
 * `isPlain` is never asked of the schema, which would read it as it is, nor measured: it must be short.
 */
export function listReader<T extends z.ZodObject>(
  schema: T,
  { isOdd, isPlain = {} }: Judges<T>,
): () => (item: unknown) => z.output<T> | undefined {
  const schemas = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>);
  const absent = new Map(schemas.map(([name, member]) => [name, member.safeParse(undefined)]));

  function formOf(names: readonly string[], members: ReadonlyMap<string, MemberValues>): Form {
    const those = names.flatMap((name) => members.get(name) ?? []);
    const isWhole = [...absent].every(([name, { success }]) => success || names.includes(name));
    if (those.length < names.length || !isWhole) return { names, members: [], blank: {} };
    const told = [...absent].filter(([name, { data }]) => names.includes(name) || data !== undefined);
    return { names, members: those, blank: Object.fromEntries(told.map(([name, { data }]) => [name, data])) };
  }

  return () => {
    const members = new Map(
      schemas.map(([name, schema]) => {
        const judges = { schema, isOdd: (value: unknown) => isOdd(name, value), isPlain: isPlain[name] };
        return [name, new MemberValues(judges)];
      }),
    );
    const forms = new Map<string, Form>();
    let form = formOf([], members);

    function changeForm(names: readonly string[]): void {
      const text = names.join();
      form = forms.get(text) ?? form;
      // A name may hold a comma.
      if (isSame(form.names, names)) return;
      form = formOf(names, members);
      if (forms.size < mostForms) forms.set(text, form);
    }

    return (item) => {
      if (!isDictionary(item)) return undefined;
      const names = Object.keys(item);
      if (!isSame(form.names, names)) changeForm(names);
      if (form.members.length === 0) return undefined;
      const read: Record<string, unknown> = { ...form.blank };
      for (let index = 0; index < names.length; index += 1) {
        const name = names[index] ?? "";
        const value = form.members[index]?.read(item[name]);
        if (value === undefined) return undefined;
        read[name] = value;
      }
      return read as z.output<T>;
    };
  };
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, index) => name === others[index]);
}

interface MemberJudges {
  readonly schema: z.ZodType;
  readonly isOdd: (value: unknown) => boolean;
  readonly isPlain: ((value: unknown) => boolean) | undefined;
}

/** What one member was in the items so far, where that checked out: as it was sent, and as it was read. */
class MemberValues {
  readonly #read = new Map<unknown, unknown>();
  readonly #objects = new ObjectTree();
  #hits = 0;
  #misses = 0;

  readonly #judges: MemberJudges;

  constructor(judges: MemberJudges) {
    this.#judges = judges;
  }

  read(value: unknown): unknown {
    if (this.#judges.isPlain?.(value) === true) return value;
    if (!this.#isWorthIt()) return this.#check(value);
    const isObject = typeof value === "object" && value !== null;
    const key = isObject ? this.#objects.placeOf(value, this.#misses < mostValues) : value;
    const known = key === undefined ? undefined : this.#read.get(key);
    if (known !== undefined) {
      this.#hits += 1;
      return known;
    }
    this.#misses += 1;
    const read = this.#check(value);
    if (read !== undefined && key !== undefined && this.#read.size < mostValues) this.#read.set(key, read);
    return read;
  }

  /** False for what is another in nearly every item, such as a name. */
  #isWorthIt(): boolean {
    return this.#misses < mostValues || this.#hits > this.#misses;
  }

  #check(value: unknown): unknown {
    const { schema, isOdd } = this.#judges;
    // In its item it is one level down.
    const excess = excessOf(typeof value === "object" ? [value] : value);
    const parsed = excess === undefined ? schema.safeParse(value) : undefined;
    return parsed?.success === true && !isOdd(value) ? parsed.data : undefined;
  }
}

type Branch = Map<unknown, Branch>;

const startOfList = Symbol("[");
const startOfObject = Symbol("{");
const end = Symbol("end");

/** Finds equal objects and lists by going through their names and values, in a quarter of the time that their JSON takes. */
class ObjectTree {
  readonly #root: Branch = new Map();
  #steps = 0;
  #mayGrow = false;

  /** The same for equal values only. Undefined: the value is not there and the tree may not grow, or it is a large one. */
  placeOf(value: object, mayGrow: boolean): object | undefined {
    this.#steps = 0;
    this.#mayGrow = mayGrow;
    return this.#behind(this.#root, value);
  }

  #behind(branch: Branch | undefined, value: unknown): Branch | undefined {
    if (branch === undefined || typeof value !== "object" || value === null) return this.#step(branch, value);
    let last = this.#step(branch, Array.isArray(value) ? startOfList : startOfObject);
    if (Array.isArray(value)) for (const item of value) last = this.#behind(last, item);
    else if (isDictionary(value))
      for (const name in value) last = this.#behind(this.#step(last, name), value[name]);
    return this.#step(last, end);
  }

  #step(branch: Branch | undefined, step: unknown): Branch | undefined {
    this.#steps += 1;
    if (branch === undefined || this.#steps > mostSteps) return undefined;
    const known = branch.get(step);
    if (known !== undefined || !this.#mayGrow) return known;
    const grown: Branch = new Map();
    branch.set(step, grown);
    return grown;
  }
}
