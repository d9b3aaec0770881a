import { isDictionary, parseJson } from "./json.ts";

export type Config = Readonly<Record<string, unknown>>;

/** The value of a setting as people type it: JSON, or else a text, so that `spot` needs no quotes. */
export function readSetting(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

const quotedPattern = /^"(?:[^"\\]|\\.)*"(?=\.|$)/;

/** One step from a value to a part of it. A quoted step is always a name, never a place in a list. */
interface Step {
  readonly name: string;
  readonly isQuoted: boolean;
}

/** Keys with dots between them; a number is a place in a list. A key with dots is a JSON string: `max_cores_per_user."ann.lee"`. */
function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path;
  for (;;) {
    const [text = ""] = quotedPattern.exec(rest) ?? /^[^.]*/.exec(rest) ?? [];
    steps.push(stepOf(text));
    if (text.length === rest.length) return steps;
    rest = rest.slice(text.length + 1);
  }
}

function stepOf(text: string): Step {
  const name = quotedPattern.test(text) ? readSetting(text) : text;
  return typeof name === "string" && name !== text
    ? { name, isQuoted: true }
    : { name: text, isQuoted: false };
}

/** Undefined: there is no such value. */
export function valueAt(config: unknown, path: string): unknown {
  return partAt(config, stepsOf(path));
}

function partAt(config: unknown, steps: readonly Step[]): unknown {
  let value: unknown = config;
  for (const { name, isQuoted } of steps) {
    if (Array.isArray(value)) value = isQuoted ? undefined : value.find((_, index) => String(index) === name);
    else if (isDictionary(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}

/**
 * The configuration with another value there. Objects on the way are made; a plain value on the way holds for all node
 * arrays (`idle_timeout: 300`) and stays so, as `default`. The place behind the last of a list adds one. Where there is nothing
 * yet, `0` and `-` begin a list, and other numbers are names, such as those of accounts. Undefined: a list has no such place.
 */
export function withValue(config: Config, path: string, value: unknown): Config | undefined {
  const places: Step[] = [];
  for (const step of stepsOf(path)) {
    const { name, isQuoted } = step;
    const isEnd = name === "-" && !isQuoted;
    places.push(isEnd ? { name: placeBehind(partAt(config, places)), isQuoted } : step);
  }
  const changed = replaced(config, places, () => value) as Config;
  return partAt(changed, places) === undefined ? undefined : changed;
}

function placeBehind(holder: unknown): string {
  if (Array.isArray(holder)) return String(holder.length);
  return holder === undefined ? "0" : "-";
}

export function withoutValue(config: Config, path: string): Config {
  return valueAt(config, path) === undefined
    ? config
    : (replaced(config, stepsOf(path), () => undefined) as Config);
}

function replaced(given: unknown, [first, ...rest]: readonly Step[], make: () => unknown): unknown {
  const { name: step, isQuoted } = first ?? { name: "", isQuoted: false };
  const holder = given === undefined && step === "0" && !isQuoted ? [] : given;
  if (Array.isArray(holder)) {
    if (isQuoted) return holder;
    const places = step === String(holder.length) ? [...holder, undefined] : holder;
    const items = places.map((item, index) => (String(index) === step ? next(item, rest, make) : item));
    return items.filter((item) => item !== undefined);
  }
  const own = isDictionary(holder) ? holder : holder === undefined ? {} : { default: holder };
  const value = next(Object.hasOwn(own, step) ? own[step] : undefined, rest, make);
  const others = Object.entries(own).filter(([key]) => key !== step);
  if (value === undefined) return Object.fromEntries(others);
  // In its place, so that the text differs there only.
  return Object.hasOwn(own, step)
    ? Object.fromEntries(Object.entries(own).map(([key, old]) => [key, key === step ? value : old]))
    : { ...own, [step]: value };
}

function next(value: unknown, rest: readonly Step[], make: () => unknown): unknown {
  return rest.length === 0 ? make() : replaced(value, rest, make);
}
