import { aggregates, functions, listOperators, operators, rowOfGreatest } from "./functions.ts";
import { parse, type Syntax } from "./language.ts";
import { ordered, parseTimespan, type Row, type Timespan, text, type Value } from "./values.ts";

export interface Database {
  readonly now: Date;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

/** What `let` has named: a table or a value. */
type Names = ReadonlyMap<string, readonly Row[] | { readonly value: Value }>;

interface Scope {
  readonly database: Database;
  readonly names: Names;
}

/** An alert runs its query again and again. */
const trees = new Map<string, Syntax>();

/**
 * Runs a query over recorded tables: exactly those operators and functions that our queries use. Every other one is
 * refused by its name, so that no query counts as tested by an evaluator that guessed.
 */
export function evaluate(query: string, database: Database): readonly Row[] {
  const tree = trees.get(query) ?? parse(query);
  trees.set(query, tree);
  const statements = child(tree, "Statements").items;
  let names: Names = new Map();
  let result: readonly Row[] | undefined;
  for (const statement of statements) {
    const scope = { database, names };
    if (statement.kind === "LetStatement") {
      const expression = child(statement, "Expression");
      const name = nameOf(child(statement, "Name"));
      names = new Map([
        ...names,
        [
          name,
          isTable(expression, scope)
            ? tableOf(expression, scope)
            : { value: compiled(expression)({}, scope) },
        ],
      ]);
    } else if (statement.kind === "ExpressionStatement")
      result = tableOf(child(statement, "Expression"), scope);
    else throw refused(statement);
  }
  if (result === undefined) throw new Error("Cannot evaluate a query without a table");
  return result;
}

function isTable(expression: Syntax, { database, names }: Scope): boolean {
  if (expression.kind === "PipeExpression") return true;
  if (expression.kind !== "NameReference") return false;
  const name = nameOf(expression);
  return name in database.tables || Array.isArray(names.get(name));
}

function tableOf(expression: Syntax, scope: Scope): readonly Row[] {
  if (expression.kind === "ParenthesizedExpression") return tableOf(child(expression, "Expression"), scope);
  if (expression.kind === "PipeExpression") {
    const known = pipesOf(scope);
    const rows = known.get(expression.text) ?? piped(expression, scope);
    known.set(expression.text, rows);
    return rows;
  }
  if (expression.kind !== "NameReference") throw refused(expression);
  const name = nameOf(expression);
  const named = scope.names.get(name) ?? scope.database.tables[name];
  if (!Array.isArray(named)) throw new Error(`Cannot evaluate the table "${name}": it was not recorded`);
  return named as readonly Row[];
}

function piped(expression: Syntax, scope: Scope): readonly Row[] {
  const operator = child(expression, "Operator");
  const run = tableOperators[operator.kind];
  if (run === undefined) throw refused(operator);
  return run(operator, tableOf(child(expression, "Expression"), scope), scope);
}

/** Most alerts begin alike: what pipes without names of their own gave, by their text. */
const pipesBefore = new WeakMap<Database, Map<string, readonly Row[]>>();

function pipesOf({ database, names }: Scope): Map<string, readonly Row[]> {
  const known = (names.size === 0 ? pipesBefore.get(database) : undefined) ?? new Map();
  if (names.size === 0) pipesBefore.set(database, known);
  return known;
}

type TableOperator = (operator: Syntax, rows: readonly Row[], scope: Scope) => readonly Row[];

const tableOperators: Readonly<Record<string, TableOperator>> = {
  FilterOperator: (operator, rows, scope) => {
    const condition = compiled(child(operator, "Condition"));
    return rows.filter((row) => condition(row, scope) === true);
  },
  ExtendOperator: (operator, rows, scope) =>
    child(operator, "Expressions").items.reduce<readonly Row[]>((before, item) => {
      const { name, value } = columnOf(item);
      return before.map((row) => ({ ...row, [name]: value(row, scope) }));
    }, rows),
  ProjectOperator: (operator, rows, scope) => {
    const columns = child(operator, "Expressions").items.map(columnOf);
    return rows.map((row) => rowOf(columns, row, scope));
  },
  SummarizeOperator: summarize,
  CountOperator: (_, rows) => [{ Count: rows.length }],
  JoinOperator: join,
  MvExpandOperator: (operator, rows, scope) => {
    const [item, ...more] = child(operator, "Expressions").items;
    if (item === undefined || more.length > 0) throw refused(operator);
    const { name, value } = columnOf(child(item, "Expression"));
    return rows.flatMap((row) => {
      const list = value(row, scope);
      const values = Array.isArray(list) ? (list as readonly Value[]) : [list];
      return values.map((each) => ({ ...row, [name]: each }));
    });
  },
  SortOperator: (operator, rows, scope) => {
    const [item, ...more] = child(operator, "Expressions").items;
    if (item?.kind !== "OrderedExpression" || more.length > 0) throw refused(operator);
    const value = compiled(child(item, "Expression"));
    const of = (row: Row) => ordered(value(row, scope)) ?? "";
    // Descending unless it says otherwise, as in Kusto.
    const sign = item.text.endsWith(" asc") ? 1 : -1;
    return rows.toSorted((a, b) => sign * (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
  },
  TakeOperator: (operator, rows, scope) =>
    rows.slice(0, compiled(child(operator, "Expression"))({}, scope) as number),
  // How a chart is drawn changes no row.
  RenderOperator: (_, rows) => rows,
};

function summarize(operator: Syntax, rows: readonly Row[], scope: Scope): readonly Row[] {
  const by = operator.parts.get("ByClause");
  const keys = by === undefined ? [] : child(by, "Expressions").items.map(columnOf);
  const keysOf = (row: Row) => rowOf(keys, row, scope);
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keysOf(row)));
  // Without `by` there is one group, also of no rows.
  if (by === undefined && groups.size === 0) groups.set("", []);
  return [...groups.values()].map((group) => {
    const [first] = group;
    const columns = child(operator, "Aggregates").items.map((item) => aggregateOf(item, group, scope));
    return Object.assign({}, first === undefined ? {} : keysOf(first), ...columns);
  });
}

function aggregateOf(item: Syntax, group: readonly Row[], scope: Scope): Row {
  const isNamed = item.kind === "SimpleNamedExpression";
  const call = isNamed ? child(item, "Expression") : item;
  if (call.kind !== "FunctionCallExpression") throw refused(call);
  const name = nameOf(child(call, "Name"));
  const [argument, ...rest] = argumentsOf(call);
  const value = argument === undefined ? () => null : compiled(argument);
  const valueIn = (row: Row) => value(row, scope);
  if (name === "arg_max" && argument !== undefined && !isNamed) {
    const row = rowOfGreatest(group, valueIn);
    return Object.fromEntries([argument, ...rest].map((each) => [nameOf(each), row?.[nameOf(each)] ?? null]));
  }
  const aggregate = aggregates[name];
  if (aggregate === undefined) throw new Error(`Cannot evaluate the aggregate "${name}"`);
  const column = isNamed ? nameOf(child(item, "Name")) : `${name}_${argument?.text ?? ""}`;
  const [extra] = rest;
  return {
    [column]: aggregate(group.map(valueIn), extra === undefined ? null : compiled(extra)({}, scope)),
  };
}

/** Only `kind=leftouter`, on columns that both sides have. */
function join(operator: Syntax, rows: readonly Row[], scope: Scope): readonly Row[] {
  if (!/kind *= *leftouter/.test(child(operator, "Parameters").text)) throw refused(operator);
  const right = tableOf(child(operator, "Expression"), scope);
  const on = child(child(operator, "ConditionClause"), "Expressions").items.map(nameOf);
  const columns = [...new Set(right.flatMap(Object.keys))];
  return rows.flatMap((row) => {
    const matches = right.filter((each) =>
      on.every((name) => text(each[name] ?? null) === text(row[name] ?? null)),
    );
    return (matches.length === 0 ? [{} as Row] : matches).map((match) => ({
      ...Object.fromEntries(
        columns.map((name) => [name in row ? `${name}1` : name, match[name] ?? null] as const),
      ),
      ...row,
    }));
  });
}

interface Column {
  readonly name: string;
  readonly value: Compiled;
}

/** One column of `extend`, `project` or `by`. */
function columnOf(item: Syntax): Column {
  if (item.kind === "SimpleNamedExpression")
    return { name: nameOf(child(item, "Name")), value: compiled(child(item, "Expression")) };
  // bin(column, 5m) keeps the column's name.
  const named = item.kind === "FunctionCallExpression" ? argumentsOf(item)[0] : item;
  if (named?.kind !== "NameReference") throw refused(item);
  return { name: nameOf(named), value: compiled(item) };
}

function rowOf(columns: readonly Column[], row: Row, scope: Scope): Row {
  return Object.fromEntries(columns.map(({ name, value }) => [name, value(row, scope)]));
}

type Compiled = (row: Row, scope: Scope) => Value;

/** An alert runs its query again and again, over thousands of rows. */
const compiledBefore = new WeakMap<Syntax, Compiled>();

function compiled(expression: Syntax): Compiled {
  const made = compiledBefore.get(expression) ?? compile(expression);
  compiledBefore.set(expression, made);
  return made;
}

function compile(expression: Syntax): Compiled {
  const { kind } = expression;
  const operator = operators[kind];
  if (operator !== undefined) {
    const [left, right] = sides(expression);
    return (row, scope) => operator(left(row, scope), right(row, scope));
  }
  const listOperator = listOperators[kind];
  if (listOperator !== undefined) {
    const left = compiled(child(expression, "Left"));
    const list = child(child(expression, "Right"), "Expressions").items.map(compiled);
    return (row, scope) =>
      listOperator(
        left(row, scope),
        list.map((each) => each(row, scope)),
      );
  }
  const compileOne = expressions[kind];
  if (compileOne === undefined) throw refused(expression);
  return compileOne(expression);
}

function sides(expression: Syntax): readonly [Compiled, Compiled] {
  return [compiled(child(expression, "Left")), compiled(child(expression, "Right"))];
}

function always(value: Value): Compiled {
  return () => value;
}

const expressions: Readonly<Record<string, (expression: Syntax) => Compiled>> = {
  AndExpression: (expression) => {
    const [left, right] = sides(expression);
    return (row, scope) => left(row, scope) === true && right(row, scope) === true;
  },
  OrExpression: (expression) => {
    const [left, right] = sides(expression);
    return (row, scope) => left(row, scope) === true || right(row, scope) === true;
  },
  ParenthesizedExpression: (expression) => compiled(child(expression, "Expression")),
  StringLiteralExpression: ({ text: code }) => always(code.slice(1, -1)),
  LongLiteralExpression: ({ text: code }) => always(Number(code)),
  RealLiteralExpression: ({ text: code }) => always(Number(code)),
  TimespanLiteralExpression: ({ text: code }) => always(parseTimespan(code)),
  BooleanLiteralExpression: ({ text: code }) => always(code === "true"),
  NameReference: (expression) => {
    const name = nameOf(expression);
    return (row, { names }) => {
      const column = row[name];
      if (column !== undefined && column !== null) return column;
      const named = names.get(name);
      // `problemsOf` knows names that are no column's. Here a column may be missing because a join found nothing.
      return named !== undefined && "value" in named ? named.value : null;
    };
  },
  PathExpression: (expression) => {
    const whole = compiled(child(expression, "Expression"));
    const name = nameOf(child(expression, "Selector"));
    return (row, scope) => {
      const from = whole(row, scope);
      return typeof from === "object" && from !== null
        ? ((from as Record<string, Value>)[name] ?? null)
        : null;
    };
  },
  FunctionCallExpression: (expression) => {
    const name = nameOf(child(expression, "Name"));
    const values = argumentsOf(expression).map(compiled);
    const [first] = values;
    if (name === "now") return (_, { database }) => database.now;
    if (name === "ago" && first !== undefined)
      return (row, scope) => new Date(scope.database.now.getTime() - (first(row, scope) as Timespan).ms);
    const run = functions[name];
    if (run === undefined) throw new Error(`Cannot evaluate the function "${name}"`);
    return (row, scope) => run(...values.map((each) => each(row, scope)));
  },
  ToScalarExpression: (expression) => (_, scope) => {
    const [first] = tableOf(child(expression, "Expression"), scope);
    return Object.values(first ?? {})[0] ?? null;
  },
};

function refused(syntax: Syntax): Error {
  return new Error(`Cannot evaluate ${syntax.kind}: ${syntax.text}`);
}

function child(parent: Syntax, part: string): Syntax {
  const found = parent.parts.get(part);
  if (found === undefined) throw refused(parent);
  return found;
}

function argumentsOf(call: Syntax): readonly Syntax[] {
  return child(child(call, "ArgumentList"), "Expressions").items;
}

function nameOf(syntax: Syntax): string {
  return syntax.text;
}
