import { isDictionary, parseJson } from "../json/json.ts";
import type { Attributes } from "./simulated-node.ts";

/** A filter that does not parse; the server answers 409. */
export class FilterError extends Error {}

type Test = (record: Attributes) => boolean;

/** Strings, comparison and logic operators, parentheses, numbers, attribute paths. */
const tokenPattern =
  /\s*(?:("(?:[^"\\]|\\.)*")|(===|!==|==|!=|&&|\|\||[!(){},])|(\bin\b)|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.]*))/gy;

/**
 * The part of CycleCloud's filter language that autoscalers use: `===`, `!==` (exact), `==`, `!=` (letter case of
 * strings ignored), `in {…}`, `&&`, `||`, `!`, parentheses, and a bare attribute that is true.
 */
export function parseFilter(text: string): Test {
  const tokens = tokenize(text);
  let position = 0;
  const test = either();
  if (position < tokens.length) throw unexpected();
  return test;

  function either(): Test {
    let left = both();
    while (takes("||")) left = or(left, both());
    return left;
  }

  function both(): Test {
    let left = negated();
    while (takes("&&")) left = and(left, negated());
    return left;
  }

  function negated(): Test {
    if (takes("!")) return not(negated());
    if (!takes("(")) return comparison();
    const inner = either();
    expectToken(")");
    return inner;
  }

  function comparison(): Test {
    const path = tokens[position++] ?? "";
    if (!/^[A-Za-z_]/.test(path) || path === "in") throw unexpected();
    for (const operator of ["===", "!==", "==", "!="] as const) {
      if (takes(operator)) return compare(path, operator, value());
    }
    if (takes("in")) return memberOf(path, values());
    return (record) => read(record, path) === true;
  }

  function values(): readonly unknown[] {
    expectToken("{");
    const listed = [value()];
    while (takes(",")) listed.push(value());
    expectToken("}");
    return listed;
  }

  function value(): unknown {
    const token = tokens[position++];
    if (token === undefined || !/^["\d-]|^(true|false|undefined)$/.test(token)) throw unexpected();
    return token === "undefined" ? undefined : parseJson(token);
  }

  function takes(token: string): boolean {
    if (tokens[position] !== token) return false;
    position += 1;
    return true;
  }

  function expectToken(token: string): void {
    if (!takes(token)) throw unexpected();
  }

  function unexpected(): FilterError {
    return new FilterError(`Cannot read filter "${text}": not understood at word ${position}`);
  }
}

function tokenize(text: string): readonly string[] {
  const trimmed = text.trimEnd();
  const tokens = trimmed.match(tokenPattern) ?? [];
  // Sticky: the first that is no token ends the list.
  const understood = tokens.reduce((length, token) => length + token.length, 0);
  if (understood < trimmed.length)
    throw new FilterError(`Cannot read filter "${text}": not understood at character ${understood}`);
  return tokens.map((token) => token.trim());
}

function compare(path: string, operator: "===" | "!==" | "==" | "!=", wanted: unknown): Test {
  const exact = operator.length === 3;
  const negative = operator.startsWith("!");
  return (record) => {
    const found = read(record, path);
    const equal = exact ? found === wanted : folded(found) === folded(wanted);
    return equal !== negative;
  };
}

function memberOf(path: string, wanted: readonly unknown[]): Test {
  return (record) => wanted.includes(read(record, path));
}

const or =
  (left: Test, right: Test): Test =>
  (record) =>
    left(record) || right(record);
const and =
  (left: Test, right: Test): Test =>
  (record) =>
    left(record) && right(record);
const not =
  (inner: Test): Test =>
  (record) =>
    !inner(record);

function folded(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

function read(record: Attributes, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((found, key) => (isDictionary(found) ? found[key] : undefined), record);
}
