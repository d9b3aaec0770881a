import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Language, type Node, Parser } from "web-tree-sitter";

const require = createRequire(import.meta.url);
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(require.resolve("tree-sitter-bicep/tree-sitter-bicep.wasm")));

interface Declared {
  readonly name: string;
  readonly node: Node;
}

/** A parameter and its decorators, such as `description` with its text. */
interface Parameter extends Declared {
  readonly decorators: ReadonlyMap<string, string>;
  readonly hasDefault: boolean;
}

/** `type` and `version` of `Microsoft.Web/sites@2024-11-01`. */
interface Resource extends Declared {
  readonly type: string;
  readonly version: string;
  /** Only referred to, not deployed. */
  readonly isExisting: boolean;
  readonly body: Node | undefined;
}

/** A module call: the path as it is written, and the parameters that it passes. */
interface ModuleCall extends Declared {
  readonly path: string;
  readonly passed: readonly string[];
  readonly body: Node | undefined;
}

/** One Bicep file as far as the rules look at it. */
export interface BicepFile {
  readonly path: string;
  readonly root: Node;
  readonly parameters: readonly Parameter[];
  readonly variables: readonly Declared[];
  readonly resources: readonly Resource[];
  readonly modules: readonly ModuleCall[];
  readonly outputs: readonly Declared[];
}

export function readBicep(path: string): BicepFile {
  return parseBicep(path, readFileSync(path, "utf8"));
}

/** A parameters file assigns what a Bicep file declares; to this grammar, which has no word for that, it is a list of variables. */
export function readParameters(path: string): BicepFile {
  const text = readFileSync(path, "utf8");
  return parseBicep(path, text.replaceAll(/^using .*$/gm, "").replaceAll(/^param (\w+) = /gm, "var $1 = "));
}

export function parseBicep(path: string, text: string): BicepFile {
  const tree = parser.parse(text);
  if (tree === null) throw new Error(`Cannot parse "${path}"`);
  const root = tree.rootNode;
  return {
    path,
    root,
    parameters: root.namedChildren.filter(isType("parameter_declaration")).map(toParameter),
    variables: root.namedChildren.filter(isType("variable_declaration")).map(toDeclared),
    resources: root.namedChildren.filter(isType("resource_declaration")).map(toResource),
    modules: root.namedChildren.filter(isType("module_declaration")).map(toModule),
    outputs: root.namedChildren.filter(isType("output_declaration")).map(toDeclared),
  };
}

export function walk(node: Node): Node[] {
  return [node, ...node.children.flatMap((child) => (child === null ? [] : walk(child)))];
}

/** Where a node is, for people. */
export function at(file: BicepFile, node: Node): string {
  return `${file.path}:${node.startPosition.row + 1}`;
}

/** The text of a string without interpolations; undefined for every other node. */
export function stringOf(node: Node | null | undefined): string | undefined {
  if (node?.type !== "string" || node.namedChildren.some((child) => child?.type === "interpolation"))
    return undefined;
  return node.text.slice(1, -1).replaceAll("\\'", "'");
}

/** Key and value of every property of an object. */
export function propertiesOf(object: Node): { readonly key: string; readonly value: Node }[] {
  return object.namedChildren.filter(isType("object_property")).flatMap((property) => {
    const [key, value] = property.namedChildren;
    return key && value ? [{ key: stringOf(key) ?? key.text, value }] : [];
  });
}

export function propertyOf(object: Node | undefined, key: string): Node | undefined {
  return object === undefined
    ? undefined
    : propertiesOf(object).find((property) => property.key === key)?.value;
}

/** Strings of an array variable: `var containers = ['config', 'plans']`. */
export function stringsOf(file: BicepFile, variable: string): string[] {
  const node = file.variables.find(({ name }) => name === variable)?.node;
  if (node === undefined) throw new Error(`No variable "${variable}" in ${file.path}`);
  return walk(node).flatMap((part) => stringOf(part) ?? []);
}

function isType(type: string) {
  return (node: Node | null): node is Node => node?.type === type;
}

function toDeclared(node: Node): Declared {
  return { name: node.namedChildren.find(isType("identifier"))?.text ?? "", node };
}

function toParameter(node: Node): Parameter {
  const before = node.previousNamedSibling;
  const calls = before?.type === "decorators" ? walk(before).filter(isType("decorator")) : [];
  const decorators = calls.map((call): [string, string] => {
    const name = walk(call).find(isType("identifier"))?.text ?? "";
    return [name, stringOf(walk(call).find(isType("string"))) ?? ""];
  });
  const [, , value] = node.namedChildren;
  return { ...toDeclared(node), decorators: new Map(decorators), hasDefault: value !== undefined };
}

function toResource(node: Node): Resource {
  const [type = "", version = ""] = (stringOf(node.namedChildren.find(isType("string"))) ?? "").split("@");
  const isExisting = node.children.some((child) => child?.text === "existing");
  return { ...toDeclared(node), type, version, isExisting, body: bodyOf(node) };
}

function toModule(node: Node): ModuleCall {
  const path = stringOf(node.namedChildren.find(isType("string"))) ?? "";
  const body = bodyOf(node);
  const passed = propertyOf(body, "params");
  return {
    ...toDeclared(node),
    path,
    body,
    passed: passed === undefined ? [] : propertiesOf(passed).map(({ key }) => key),
  };
}

/** The object of a declaration, also behind an `if` or a `for`. */
function bodyOf(node: Node): Node | undefined {
  return walk(node).find(isType("object"));
}
