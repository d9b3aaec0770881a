import type { z } from "zod";
import { isDictionary } from "../json/json.ts";
import { excessOf } from "./sizes.ts";

/** Values of a member that are remembered: a list may have another one in each item. */
const mostValues = 1_000;
const longestText = 1_000;

const mostForms = 100;

/** What items have the same members, in the same order. */
interface Form {
  readonly names: readonly string[];
  /** One for each name. Empty: the whole schema must judge such items. */
  readonly members: readonly MemberValues[];
  /** The members of such an item in the order of the schema; the absent ones with what the schema makes of them. */
  readonly blank: Readonly<Record<string, unknown>>;
}

/**
 * Makes readers of lists of objects. 100,000 jobs have few users, queues and constraints, and a whole schema takes long: a
 * reader checks each member by that member's schema, and a value that the member had in an earlier item not again. Items
 * share equal values, such as their constraints. A reader returns undefined for an item that the whole schema must judge:
 * one with a member that the schema does not have, or with a value that does not check out or that `isOdd`.
 */
export function listReader<T extends z.ZodObject>(
  schema: T,
  isOdd: (name: string, value: unknown) => boolean,
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
      schemas.map(([name, member]) => [name, new MemberValues(member, (value) => isOdd(name, value))]),
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

/** What one member was in the items so far, where that checked out: as it was sent, and as it was read. */
class MemberValues {
  readonly #read = new Map<unknown, unknown>();
  /** Objects by their JSON. */
  readonly #readObjects = new Map<string, unknown>();
  #hits = 0;
  #misses = 0;

  readonly #schema: z.ZodType;
  readonly #isOdd: (value: unknown) => boolean;

  constructor(schema: z.ZodType, isOdd: (value: unknown) => boolean) {
    this.#schema = schema;
    this.#isOdd = isOdd;
  }

  read(value: unknown): unknown {
    if (!this.#isWorthIt()) return this.#check(value);
    if (typeof value !== "object") return this.#remembered(this.#read, value, value);
    const text = textOf(value);
    return text === undefined ? this.#check(value) : this.#remembered(this.#readObjects, text, value);
  }

  /** False for what is another in nearly every item, such as a name. */
  #isWorthIt(): boolean {
    return this.#misses < mostValues || this.#hits > this.#misses;
  }

  #remembered<K>(earlier: Map<K, unknown>, key: K, value: unknown): unknown {
    const known = earlier.get(key);
    if (known !== undefined) {
      this.#hits += 1;
      return known;
    }
    this.#misses += 1;
    const read = this.#check(value);
    if (read !== undefined && earlier.size < mostValues) earlier.set(key, read);
    return read;
  }

  #check(value: unknown): unknown {
    // In its item it is one level down.
    const excess = excessOf(typeof value === "object" ? [value] : value);
    const parsed = excess === undefined ? this.#schema.safeParse(value) : undefined;
    return parsed?.success === true && !this.#isOdd(value) ? parsed.data : undefined;
  }
}

/** Equal texts mean equal values. Undefined: a long one, one nested too deeply, or one with a number that JSON writes as null. */
function textOf(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return text.length <= longestText && !text.includes("null") ? text : undefined;
  } catch {
    return undefined;
  }
}
