import { isDictionary } from "../json/json.ts";
import { asObject, asRead } from "./message-body.ts";

/** What of a job may be replaced. `user` is also who took a node out of service. */
export const pseudonymFields = ["user", "account", "jobName"] as const;
export type PseudonymField = (typeof pseudonymFields)[number];

/** All spellings in which messages have them, of jobs and of nodes. */
const keysOf: Readonly<Record<PseudonymField, readonly string[]>> = {
  user: ["user", "stateBy"],
  account: ["account"],
  jobName: ["jobName", "job_name", "job-name"],
};

const hexDigits = 20;
const form = /^~[0-9a-f]{20}$/;

/** How a keyed hash (in hex) stands for a name: it cannot be mistaken for a name, and 80 bits make two equal ones practically impossible. */
export function pseudonymOf(hash: string): string {
  return `~${hash.slice(0, hexDigits)}`;
}

/** What is hashed: the same word is something else as a user and as an account. */
export function hashedText(field: PseudonymField, name: string): string {
  return `${field}:${name}`;
}

/**
 * The message with these names of its jobs and nodes replaced, whether or not it checks out; undefined for a name leaves it
 * out, which is "unknown". A name that was replaced before stays as it is, so that a message may come here twice.
 */
export function replaceNames(
  input: unknown,
  fields: readonly PseudonymField[],
  replace: (field: PseudonymField, name: string) => string | undefined,
): unknown {
  const message = asObject(input);
  if (message === undefined) return input;
  const pseudonyms = new Map<string, string | undefined>();
  const replaced = (field: PseudonymField, name: string) => {
    if (form.test(name)) return name;
    const text = hashedText(field, name);
    if (!pseudonyms.has(text)) pseudonyms.set(text, replace(field, name));
    return pseudonyms.get(text);
  };
  const places = fields.flatMap((field) => keysOf[field].map((key) => ({ field, key })));
  const inItem = (item: unknown): unknown => {
    if (!isDictionary(item)) return item;
    const own = places.filter(({ key }) => item[key] !== undefined && item[key] !== null);
    if (own.length === 0) return item;
    const copy: Record<string, unknown> = { ...item };
    for (const { field, key } of own) {
      const name = item[key];
      // What is no text would be quoted in a warning.
      const value = typeof name === "string" ? replaced(field, name) : undefined;
      if (value === undefined) delete copy[key];
      else copy[key] = value;
    }
    return copy;
  };
  // Whatever the list is called: a message that is refused for a misspelt key is kept as well.
  const entries = Object.entries(message).map(
    ([key, value]) => [key, Array.isArray(value) ? value.map(inItem) : value] as const,
  );
  return asRead(Object.fromEntries(entries));
}
