import type { NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";
import { gpuRequestOf, gpuTypesIn } from "./tres.ts";

/** What `--constraint` asks for: `a&(b|c)`. A count is of nodes that have it: `[a*2&b*1]`. */
export type Features =
  | { readonly kind: "feature"; readonly name: string; readonly count: number | undefined }
  /** `isOfNodes`: in brackets, where counts stand side by side. */
  | { readonly kind: "all"; readonly parts: readonly Features[]; readonly isOfNodes?: boolean }
  /** `isSame`: all nodes of a job have the same one, `[a|b]`. */
  | { readonly kind: "any"; readonly parts: readonly Features[]; readonly isSame?: boolean };

export type Constraints = Readonly<Record<string, unknown>>;

/** Nobody writes more; a constraint is read recursively. */
const mostTokens = 200;

/** Undefined when the text is not understood. */
export function parseFeatures(text: string): Features | undefined {
  const tokens = text.match(/[&,|()[\]]|[^&,|()[\]\s]+/g) ?? [];
  if (tokens.length > mostTokens || tokens.join("") !== text) return undefined;
  if (tokens.length === 0) return { kind: "all", parts: [] };
  const reader = { tokens, at: 0 };
  const tree = readAny(reader);
  return reader.at === tokens.length ? tree : undefined;
}

interface Reader {
  readonly tokens: readonly string[];
  at: number;
}

function readAny(reader: Reader): Features | undefined {
  return readList(reader, "any", ["|"], () => readList(reader, "all", ["&", ","], () => readOne(reader)));
}

function readList(
  reader: Reader,
  kind: "all" | "any",
  separators: readonly string[],
  read: () => Features | undefined,
): Features | undefined {
  const parts: (Features | undefined)[] = [read()];
  while (separators.includes(reader.tokens[reader.at] ?? "")) {
    reader.at++;
    parts.push(read());
  }
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return known.length === 1 ? known[0] : { kind, parts: known };
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]" };

function readOne(reader: Reader): Features | undefined {
  const token = reader.tokens[reader.at++] ?? "";
  const end = closing[token];
  if (end !== undefined) {
    const inner = readAny(reader);
    const read = token === "[" && inner !== undefined ? inBrackets(inner) : inner;
    return reader.tokens[reader.at++] === end ? read : undefined;
  }
  const match = /^([^*]+)(?:\*(\d{1,6}))?$/.exec(token);
  if (match?.[1] === undefined || /^[&,|\])]$/.test(token)) return undefined;
  return { kind: "feature", name: match[1], count: match[2] === undefined ? undefined : Number(match[2]) };
}

function inBrackets(inner: Features): Features {
  if (inner.kind === "feature") return inner;
  return inner.kind === "any" ? { ...inner, isSame: true } : { ...inner, isOfNodes: true };
}

/** Also the types of GPUs, as features of the same name (`gpu:a100`). */
export function withGpuTypes(features: Features, requests: readonly string[]): Features {
  const types = requests
    .flatMap(gpuTypesIn)
    .map((name) => ({ kind: "feature" as const, name, count: undefined }));
  return types.length === 0 ? features : { kind: "all", parts: [features, ...types] };
}

/** Counts as they stand side by side in brackets, each with what its nodes have; undefined: none, or not understood. */
export function countsIn(
  features: Features,
): readonly { readonly name: string; readonly count: number }[] | undefined {
  // Slurm starts no job with several counts outside of brackets (BadConstraints).
  const parts = features.kind === "all" && features.isOfNodes === true ? features.parts : [features];
  const counted = parts.flatMap((part) =>
    part.kind === "feature" && part.count !== undefined ? [{ name: part.name, count: part.count }] : [],
  );
  return counted.length === parts.length && counted.length > 0 ? counted : undefined;
}

export function hasCounts(features: Features): boolean {
  return features.kind === "feature" ? features.count !== undefined : features.parts.some(hasCounts);
}

/** The first that there is among alternatives that all nodes of a job have alike. */
export function withOneKind(features: Features, nodes: readonly NodeRecord[]): Features {
  if (features.kind === "feature") return features;
  if (features.kind === "any" && features.isSame === true)
    return features.parts.find((part) => nodes.some((node) => holds(node, part))) ?? features;
  return { ...features, parts: features.parts.map((part) => withOneKind(part, nodes)) };
}

/** A node without reported features may have any. */
export function holds(node: NodeRecord, features: Features): boolean {
  switch (features.kind) {
    case "feature":
      return holdsFeature(node, features.name);
    case "all":
      return features.parts.every((part) => holds(node, part));
    case "any":
      return features.parts.some((part) => holds(node, part));
  }
}

function holdsFeature(node: NodeRecord, name: string): boolean {
  if (name.startsWith("gpu:")) return gpuTypesIn(gpuRequestOf(node.gres)).includes(name);
  return node.features === undefined || node.features.includes(name);
}

/** The nodes of each node array on which a job may run. */
export type NodesOfArrays = ReadonlyMap<string, readonly NodeRecord[]>;

/**
 * Constraints that mean the features on these nodes, all of which have to hold: what is configured, the VM size that
 * a feature names, or the node arrays whose nodes all have it. A feature that all the nodes have means nothing. Undefined:
 * only some nodes of an array have it, and nobody says which.
 */
export function constraintsFor(
  features: Features,
  arrays: NodesOfArrays,
  settings: SlurmSettings,
): readonly Constraints[] | undefined {
  switch (features.kind) {
    case "feature":
      return meaningOf(features.name, arrays, settings);
    case "all":
      return concat(features.parts.map((part) => constraintsFor(part, arrays, settings)));
    case "any": {
      const nodes = [...arrays.values()].flat();
      return anyOf(
        features.parts
          .filter((part) => nodes.length === 0 || nodes.some((node) => holds(node, part)))
          .map((part) => constraintsFor(part, arrays, settings)),
      );
    }
  }
}

function meaningOf(
  name: string,
  arrays: NodesOfArrays,
  { features }: SlurmSettings,
): readonly Constraints[] | undefined {
  const configured = Object.hasOwn(features, name) ? features[name] : undefined;
  if (configured !== undefined) return [configured];
  if (/^Standard_\w+$/.test(name)) return [{ "node.vm_size": name }];
  const kinds = [...arrays].map(([nodeArray, nodes]) => ({
    nodeArray,
    isOfAll: nodes.every((node) => holdsFeature(node, name)),
    isOfSome: nodes.some((node) => holdsFeature(node, name)),
  }));
  if (kinds.every(({ isOfAll }) => isOfAll)) return [];
  const having = kinds.filter(({ isOfAll }) => isOfAll).map(({ nodeArray }) => nodeArray);
  const isDivided = kinds.some(({ isOfAll, isOfSome }) => isOfSome && !isOfAll);
  return isDivided || having.length === 0 ? undefined : [{ "node.nodearray": having }];
}

function concat(parts: readonly (readonly Constraints[] | undefined)[]): readonly Constraints[] | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length ? undefined : known.flat();
}

function anyOf(parts: readonly (readonly Constraints[] | undefined)[]): readonly Constraints[] | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.some((part) => part.length === 0)) return [];
  if (known.length < parts.length) return undefined;
  for (const name of ["node.vm_size", "node.nodearray"]) {
    const values = known.map((part) => (part.length === 1 ? soleValue(part[0], name) : undefined));
    if (!values.includes(undefined)) return [{ [name]: values.flat() }];
  }
  return [{ or: known.map((part) => (part.length === 1 ? part[0] : { and: part })) }];
}

function soleValue(constraints: Constraints | undefined, name: string): unknown {
  return Object.keys(constraints ?? {}).length === 1 ? constraints?.[name] : undefined;
}

/** One object when no key is there twice, which is easier to read; else a list, all of which hold. */
export function allOf(constraints: readonly Constraints[]): Constraints | readonly Constraints[] {
  const keys = constraints.flatMap((each) => Object.keys(each));
  return new Set(keys).size === keys.length ? Object.assign({}, ...constraints) : constraints;
}
