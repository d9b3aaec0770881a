import { aggregates, functions, listOperators, operators, rowOfGreatest } from "./functions.ts";
import { parse, type Syntax } from "./language.ts";
import { ordered, parseTimespan, type Row, Timespan, text, type Value } from "./values.ts";

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
  const statements = itemsOf(child(tree, "Statements"));
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
            : { value: evaluated(expression, {}, scope) },
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
    const operator = child(expression, "Operator");
    const run = tableOperators[operator.kind];
    if (run === undefined) throw refused(operator);
    return run(operator, tableOf(child(expression, "Expression"), scope), scope);
  }
  if (expression.kind !== "NameReference") throw refused(expression);
  const name = nameOf(expression);
  const named = scope.names.get(name) ?? scope.database.tables[name];
  if (!Array.isArray(named)) throw new Error(`Cannot evaluate the table "${name}": it was not recorded`);
  return named as readonly Row[];
}

type TableOperator = (operator: Syntax, rows: readonly Row[], scope: Scope) => readonly Row[];

const tableOperators: Readonly<Record<string, TableOperator>> = {
  FilterOperator: (operator, rows, scope) => {
    const condition = child(operator, "Condition");
    return rows.filter((row) => evaluated(condition, row, scope) === true);
  },
  ExtendOperator: (operator, rows, scope) =>
    itemsOf(child(operator, "Expressions")).reduce<readonly Row[]>(
      (extended, item) => extended.map((row) => ({ ...row, ...columnOf(item, row, scope) })),
      rows,
    ),
  ProjectOperator: (operator, rows, scope) =>
    rows.map((row) =>
      Object.assign({}, ...itemsOf(child(operator, "Expressions")).map((item) => columnOf(item, row, scope))),
    ),
  SummarizeOperator: summarize,
  CountOperator: (_, rows) => [{ Count: rows.length }],
  JoinOperator: join,
  MvExpandOperator: (operator, rows, scope) => {
    const [item, ...more] = itemsOf(child(operator, "Expressions"));
    if (item === undefined || more.length > 0) throw refused(operator);
    return rows.flatMap((row) => {
      const [[name, value]] = Object.entries(columnOf(child(item, "Expression"), row, scope)) as [
        [string, Value],
      ];
      const values = Array.isArray(value) ? (value as readonly Value[]) : [value];
      return values.map((each) => ({ ...row, [name]: each }));
    });
  },
  SortOperator: (operator, rows, scope) => {
    const [item, ...more] = itemsOf(child(operator, "Expressions"));
    if (item?.kind !== "OrderedExpression" || more.length > 0) throw refused(operator);
    const of = (row: Row) => ordered(evaluated(child(item, "Expression"), row, scope)) ?? "";
    // Descending unless it says otherwise, as in Kusto.
    const sign = item.text.endsWith(" asc") ? 1 : -1;
    return rows.toSorted((a, b) => sign * (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
  },
  TakeOperator: (operator, rows, scope) =>
    rows.slice(0, evaluated(child(operator, "Expression"), {}, scope) as number),
  // How a chart is drawn changes no row.
  RenderOperator: (_, rows) => rows,
};

function summarize(operator: Syntax, rows: readonly Row[], scope: Scope): readonly Row[] {
  const by = find(operator, "ByClause");
  const keysOf = (row: Row): Row =>
    by === undefined
      ? {}
      : Object.assign({}, ...itemsOf(child(by, "Expressions")).map((item) => columnOf(item, row, scope)));
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keysOf(row)));
  // Without `by` there is one group, also of no rows.
  if (by === undefined && groups.size === 0) groups.set("", []);
  return [...groups.values()].map((group) => {
    const [first] = group;
    const columns = itemsOf(child(operator, "Aggregates")).map((item) => aggregateOf(item, group, scope));
    return Object.assign({}, first === undefined ? {} : keysOf(first), ...columns);
  });
}

function aggregateOf(item: Syntax, group: readonly Row[], scope: Scope): Row {
  const isNamed = item.kind === "SimpleNamedExpression";
  const call = isNamed ? child(item, "Expression") : item;
  if (call.kind !== "FunctionCallExpression") throw refused(call);
  const name = nameOf(child(call, "Name"));
  const [argument, ...rest] = argumentsOf(call);
  const valueIn = (row: Row) => (argument === undefined ? null : evaluated(argument, row, scope));
  if (name === "arg_max" && argument !== undefined && !isNamed) {
    const row = rowOfGreatest(group, valueIn);
    return Object.fromEntries([argument, ...rest].map((each) => [nameOf(each), row?.[nameOf(each)] ?? null]));
  }
  const aggregate = aggregates[name];
  if (aggregate === undefined) throw new Error(`Cannot evaluate the aggregate "${name}"`);
  const column = isNamed ? nameOf(child(item, "Name")) : `${name}_${argument?.text ?? ""}`;
  const [extra] = rest;
  return {
    [column]: aggregate(group.map(valueIn), extra === undefined ? null : evaluated(extra, {}, scope)),
  };
}

/** Only `kind=leftouter`, on columns that both sides have. */
function join(operator: Syntax, rows: readonly Row[], scope: Scope): readonly Row[] {
  if (!/kind *= *leftouter/.test(child(operator, "Parameters").text)) throw refused(operator);
  const right = tableOf(child(operator, "Expression"), scope);
  const on = itemsOf(child(child(operator, "ConditionClause"), "Expressions")).map(nameOf);
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

/** One column of `extend`, `project` or `by`, with its name. */
function columnOf(item: Syntax, row: Row, scope: Scope): Row {
  if (item.kind === "SimpleNamedExpression")
    return { [nameOf(child(item, "Name"))]: evaluated(child(item, "Expression"), row, scope) };
  if (item.kind === "NameReference") return { [nameOf(item)]: evaluated(item, row, scope) };
  // bin(column, 5m) keeps the column's name.
  const [first] = item.kind === "FunctionCallExpression" ? argumentsOf(item) : [];
  if (first?.kind !== "NameReference") throw refused(item);
  return { [nameOf(first)]: evaluated(item, row, scope) };
}

function evaluated(expression: Syntax, row: Row, scope: Scope): Value {
  const kind = expression.kind;
  const operator = operators[kind];
  if (operator !== undefined)
    return operator(
      evaluated(child(expression, "Left"), row, scope),
      evaluated(child(expression, "Right"), row, scope),
    );
  const listOperator = listOperators[kind];
  if (listOperator !== undefined)
    return listOperator(
      evaluated(child(expression, "Left"), row, scope),
      itemsOf(child(child(expression, "Right"), "Expressions")).map((each) => evaluated(each, row, scope)),
    );
  const value = expressions[kind];
  if (value === undefined) throw refused(expression);
  return value(expression, row, scope);
}

type Expression = (expression: Syntax, row: Row, scope: Scope) => Value;

const expressions: Readonly<Record<string, Expression>> = {
  AndExpression: (expression, row, scope) =>
    evaluated(child(expression, "Left"), row, scope) === true &&
    evaluated(child(expression, "Right"), row, scope) === true,
  OrExpression: (expression, row, scope) =>
    evaluated(child(expression, "Left"), row, scope) === true ||
    evaluated(child(expression, "Right"), row, scope) === true,
  ParenthesizedExpression: (expression, row, scope) => evaluated(child(expression, "Expression"), row, scope),
  StringLiteralExpression: (expression) => expression.text.slice(1, -1),
  LongLiteralExpression: (expression) => Number(expression.text),
  RealLiteralExpression: (expression) => Number(expression.text),
  TimespanLiteralExpression: (expression) => parseTimespan(expression.text),
  BooleanLiteralExpression: (expression) => expression.text === "true",
  NameReference: (expression, row, scope) => {
    const name = nameOf(expression);
    const named = scope.names.get(name);
    // `problemsOf` knows names that are no column's. Here a column may be missing because a join found nothing.
    return row[name] ?? (named !== undefined && "value" in named ? named.value : null);
  },
  PathExpression: (expression, row, scope) => {
    const from = evaluated(child(expression, "Expression"), row, scope);
    const isObject = typeof from === "object" && from !== null;
    return isObject ? ((from as Record<string, Value>)[nameOf(child(expression, "Selector"))] ?? null) : null;
  },
  FunctionCallExpression: (expression, row, scope) => {
    const name = nameOf(child(expression, "Name"));
    const values = argumentsOf(expression).map((each) => evaluated(each, row, scope));
    if (name === "now") return scope.database.now;
    if (name === "ago" && values[0] instanceof Timespan)
      return new Date(scope.database.now.getTime() - values[0].ms);
    const run = functions[name];
    if (run === undefined) throw new Error(`Cannot evaluate the function "${name}"`);
    return run(...values);
  },
  ToScalarExpression: (expression, _, scope) => {
    const [first] = tableOf(child(expression, "Expression"), scope);
    return Object.values(first ?? {})[0] ?? null;
  },
};

function refused(syntax: Syntax): Error {
  return new Error(`Cannot evaluate ${syntax.kind}: ${syntax.text}`);
}

function find(parent: Syntax, part: string): Syntax | undefined {
  return parent.children.find((each) => each.part === part);
}

function child(parent: Syntax, part: string): Syntax {
  const found = find(parent, part);
  if (found === undefined) throw refused(parent);
  return found;
}

/** Elements of a list without the commas. */
function itemsOf(list: Syntax): readonly Syntax[] {
  return list.children.map((each) => (each.kind === "SeparatedElement" ? (each.children[0] ?? each) : each));
}

function argumentsOf(call: Syntax): readonly Syntax[] {
  return itemsOf(child(child(call, "ArgumentList"), "Expressions"));
}

function nameOf(syntax: Syntax): string {
  return syntax.text;
}
