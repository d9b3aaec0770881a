import { ordered, type Row, Timespan, text, type Value } from "./values.ts";

/** Null compares with nothing, except that it is unequal to what is there. */
function compared(test: (order: number) => boolean): Operator {
  return (left, right) => {
    const [a, b] = [ordered(left), ordered(right)];
    if (a === null || b === null) return null;
    return test(a < b ? -1 : a > b ? 1 : 0);
  };
}

type Operator = (left: Value, right: Value) => Value;

const isEqual: Operator = (left, right) => {
  if (left === null || right === null) return left === right ? null : false;
  return ordered(left) === ordered(right);
};
const negated = (value: Value): Value => (typeof value === "boolean" ? !value : null);
/** Terms are runs of letters and digits, in any case. */
const hasTerm = (where: Value, term: Value) =>
  text(where)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .includes(text(term).toLowerCase());

/** By the kind of node; each must say what it is for null. */
export const operators: Readonly<Record<string, Operator>> = {
  EqualExpression: isEqual,
  NotEqualExpression: (left, right) =>
    left === null && right === null ? null : left === null || right === null || negated(isEqual(left, right)),
  EqualTildeExpression: (left, right) => text(left).toLowerCase() === text(right).toLowerCase(),
  LessThanExpression: compared((order) => order < 0),
  LessThanOrEqualExpression: compared((order) => order <= 0),
  GreaterThanExpression: compared((order) => order > 0),
  GreaterThanOrEqualExpression: compared((order) => order >= 0),
  StartsWithExpression: (left, right) => text(left).toLowerCase().startsWith(text(right).toLowerCase()),
  HasExpression: hasTerm,
  AddExpression: (left, right) => moved(left, right, 1),
  SubtractExpression: (left, right) => moved(left, right, -1),
  MultiplyExpression: (left, right) => {
    if (left === null || right === null) return null;
    if (typeof left === "number" && right instanceof Timespan) return new Timespan(left * right.ms);
    return number(left) * number(right);
  },
  DivideExpression: (left, right) => (left === null || right === null ? null : number(left) / number(right)),
};

/** By the kind of node: the left value among those of a list. */
export const listOperators: Readonly<Record<string, (left: Value, list: readonly Value[]) => Value>> = {
  InExpression: (left, list) => list.some((each) => isEqual(left, each) === true),
  HasAnyExpression: (left, list) => list.some((each) => hasTerm(left, each)),
};

/** Functions of values. `now` and `ago` have their moment from the query. */
export const functions: Readonly<Record<string, (...values: Value[]) => Value>> = {
  coalesce: (...values) => values.find((each) => each !== null && each !== "") ?? null,
  max_of: (...values) => extreme(values, 1),
  isnull: (value = null) => value === null,
  isnotempty: (value = null) => text(value) !== "",
  parse_json: (value = null) => parsed(text(value)),
  tostring: (value = null) => text(value),
  toint: (value = null) => {
    const number = Number.parseInt(text(value), 10);
    return Number.isNaN(number) ? null : number;
  },
  todouble: (value = null) => {
    const number = Number.parseFloat(text(value));
    return Number.isNaN(number) ? null : number;
  },
  bin: (value = null, size = null) => {
    if (!(value instanceof Date && size instanceof Timespan))
      throw new Error("Cannot evaluate bin of no time");
    return new Date(Math.floor(value.getTime() / size.ms) * size.ms);
  },
};

/** Of the values that one expression has in the rows of a group; a row, for those that pick one. */
export const aggregates: Readonly<Record<string, (values: readonly Value[], extra: Value) => Value>> = {
  count: (values) => values.length,
  countif: (values) => values.filter((each) => each === true).length,
  sum: (values) => values.reduce<number>((sum, each) => sum + (each === null ? 0 : number(each)), 0),
  max: (values) => extreme(values, 1),
  min: (values) => extreme(values, -1),
  percentile: (values, percent) => {
    const sorted = values
      .filter((each) => each !== null)
      .map(number)
      .sort((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil((number(percent) / 100) * sorted.length) - 1)] ?? null;
  },
};

/** The row in which `value` is greatest; undefined where none has one. */
export function rowOfGreatest(rows: readonly Row[], value: (row: Row) => Value): Row | undefined {
  const greatest = ordered(extreme(rows.map(value), 1));
  return greatest === null ? undefined : rows.find((row) => ordered(value(row)) === greatest);
}

function extreme(values: readonly Value[], sign: 1 | -1): Value {
  return values.reduce<Value>((best, each) => {
    const [a, b] = [ordered(best), ordered(each)];
    if (b === null) return best;
    if (a === null) return each;
    return (sign === 1 ? b > a : b < a) ? each : best;
  }, null);
}

function number(value: Value): number {
  if (typeof value !== "number") throw new Error(`Cannot calculate with ${text(value)}`);
  return value;
}

/** Of dates and timespans, as far as they make sense; numbers. */
function moved(left: Value, right: Value, sign: 1 | -1): Value {
  if (left === null || right === null) return null;
  if (left instanceof Date && right instanceof Timespan) return new Date(left.getTime() + sign * right.ms);
  if (left instanceof Date && right instanceof Date && sign === -1)
    return new Timespan(left.getTime() - right.getTime());
  return number(left) + sign * number(right);
}

/** What is no JSON stays the text that it is. */
function parsed(json: string): Value {
  try {
    return JSON.parse(json) as Value;
  } catch {
    return json;
  }
}
