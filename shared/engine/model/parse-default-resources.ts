import { parseProperty, unknownProperty } from "../constraints/node-properties.ts";
import { parseConstraints } from "../constraints/parse-constraints.ts";
import { member, type Problem, show } from "../constraints/reading.ts";
import { looksLikeAmount, parseAmount, parseBareAmount } from "../values/units.ts";
import type { DefaultResource, DefaultValue, Modifier } from "./settings.ts";

export type ParsedDefaultResources =
  | { readonly ok: true; readonly defaultResources: readonly DefaultResource[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const modifiers: readonly (readonly [key: string, operation: Modifier["operation"]])[] = [
  ["add", "add"],
  ["subtract", "subtract"],
  ["multiply", "multiply"],
  ["divide", "divide"],
  ["divide_floor", "divide-floor"],
  ["divide-floor", "divide-floor"],
];

/** Reads `default_resources`: a list of `{select, name, value}` with at most one modifier. Names every problem. */
export function parseDefaultResources(json: unknown): ParsedDefaultResources {
  if (!Array.isArray(json))
    return { ok: false, problems: [problem("", `${show(json)}, expected a list of entries`)] };
  const problems: Problem[] = [];
  const defaultResources = json.flatMap(
    (entry: unknown, index) => readEntry(entry, `[${index}]`, problems) ?? [],
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, defaultResources };
}

function problem(path: string, message: string): Problem {
  return { path, message: `Cannot read default resource "${path}": ${message}` };
}

type Fields = Readonly<Record<string, unknown>>;

function readEntry(json: unknown, path: string, problems: Problem[]): DefaultResource | null {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    problems.push(problem(path, `${show(json)}, expected an object`));
    return null;
  }
  const fields = json as Fields;
  const name = fields.name;
  if (typeof name !== "string" || name === "") {
    problems.push(problem(member(path, "name"), `${show(name)}, expected the name of a resource`));
    return null;
  }
  const select = parseConstraints(fields.select ?? {});
  if (!select.ok)
    problems.push(...select.problems.map((p) => ({ ...p, path: `${path}.select${p.path && `.${p.path}`}` })));
  const modifier = readModifier(fields, path, problems);
  // Without arithmetic "1g" may be a name, such as a slice of a GPU.
  const read = modifier === null ? readValue : readOperand;
  const value = read(fields.value, member(path, "value"), problems);
  if (!select.ok || value === null || modifier === "refused") return null;
  if (modifier !== null && !canBeNumber(value)) {
    problems.push(
      problem(path, `"${modifier.operation}" on ${show(fields.value)}, expected a number or a size`),
    );
    return null;
  }
  return { select: select.constraints, name, value, modifier };
}

function readModifier(fields: Fields, path: string, problems: Problem[]): Modifier | null | "refused" {
  const present = modifiers.filter(([key]) => fields[key] !== undefined);
  const [first, second] = present;
  if (first === undefined) return null;
  if (second !== undefined) {
    problems.push(problem(path, `modifiers ${present.map(([key]) => key).join(", ")}, expected at most one`));
    return "refused";
  }
  const [key, operation] = first;
  const operand = readOperand(fields[key], member(path, key), problems);
  if (operand === null) return "refused";
  if (!canBeNumber(operand)) {
    problems.push(problem(member(path, key), `${show(fields[key])}, expected a number or a size`));
    return "refused";
  }
  if (operation.startsWith("divide") && operand.kind === "literal" && operand.value === 0) {
    problems.push(problem(member(path, key), "0, expected a number that can be divided by"));
    return "refused";
  }
  return { operation, operand };
}

/** Whether arithmetic on the value can work: references are only known once there is a node. */
function canBeNumber(value: DefaultValue): boolean {
  if (value.kind !== "literal") return true;
  return typeof value.value === "number" || (typeof value.value === "object" && value.value !== null);
}

/** A value of arithmetic: `1g` is an amount here, as in the configurations that azge writes. */
function readOperand(json: unknown, path: string, problems: Problem[]): DefaultValue | null {
  const amount = typeof json === "string" ? parseBareAmount(json) : null;
  return amount === null ? readValue(json, path, problems) : { kind: "literal", value: amount };
}

function readValue(json: unknown, path: string, problems: Problem[]): DefaultValue | null {
  if (typeof json === "string") return readText(json, path, problems);
  if (typeof json === "boolean" || json === null || (typeof json === "number" && Number.isFinite(json)))
    return { kind: "literal", value: json };
  problems.push(problem(path, `${show(json)}, expected a number, true, false, a text or a reference`));
  return null;
}

function readText(text: string, path: string, problems: Problem[]): DefaultValue | null {
  if (text.includes("`")) {
    const advice =
      'write a reference such as "node.vcpu_count" with one modifier (add, subtract, multiply, divide, divide_floor)';
    problems.push(problem(path, `${show(text)}, expressions are never run; ${advice}`));
    return null;
  }
  if (looksLikeAmount(text)) {
    const amount = parseAmount(text);
    if (amount !== null) return { kind: "literal", value: amount };
    problems.push(problem(path, `${show(text)}, expected an amount such as "size::20g"`));
    return null;
  }
  if (!text.startsWith("node.")) return { kind: "literal", value: text };
  return readReference(text, path, problems);
}

function readReference(text: string, path: string, problems: Problem[]): DefaultValue | null {
  if (text.startsWith("node.resources.")) {
    // The field also writes `node.resources.memgb.value`: the plain number of a size.
    const path = text.slice("node.resources.".length);
    const plain = path.endsWith(".value");
    return { kind: "resource", name: plain ? path.slice(0, -".value".length) : path, plain };
  }
  if (text.startsWith("node.software_configuration."))
    return {
      kind: "software-configuration",
      path: text.slice("node.software_configuration.".length).split("."),
    };
  const property = parseProperty(text.slice("node.".length));
  if (property !== null) return { kind: "property", property };
  problems.push({ path, message: unknownProperty(text) });
  return null;
}
