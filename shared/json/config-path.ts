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

/** A place in a list; `-`, as in JSON Pointer, is the one behind the last. */
const placePattern = /^(?:0|[1-9]\d*|-)$/;

/** Keys with dots between them; a number is a place in a list. */
function stepsOf(path: string): readonly string[] {
  return path.split(".");
}

/** Undefined: there is no such value. */
export function valueAt(config: unknown, path: string): unknown {
  let value: unknown = config;
  for (const step of stepsOf(path)) {
    if (Array.isArray(value)) value = value.find((_, index) => String(index) === step);
    else if (isDictionary(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/**
 * The configuration with another value there. Objects on the way are made; a plain value on the way holds for all node
 * arrays (`idle_timeout: 300`) and stays so, as `default`. The place behind the last of a list adds one, also where there is no
 * list yet. Undefined: a list has no such place.
 */
export function withValue(config: Config, path: string, value: unknown): Config | undefined {
  const steps = stepsOf(path);
  const places: string[] = [];
  for (const step of steps) {
    const holder = places.length === 0 ? config : valueAt(config, places.join("."));
    places.push(step === "-" ? placeBehind(holder) : step);
  }
  const changed = replaced(config, places, () => value) as Config;
  return valueAt(changed, places.join(".")) === undefined ? undefined : changed;
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

function replaced(given: unknown, [step = "", ...rest]: readonly string[], make: () => unknown): unknown {
  const holder = given === undefined && placePattern.test(step) ? [] : given;
  if (Array.isArray(holder)) {
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

function next(value: unknown, rest: readonly string[], make: () => unknown): unknown {
  return rest.length === 0 ? make() : replaced(value, rest, make);
}
