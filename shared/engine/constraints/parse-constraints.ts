import { type Constraint, type ConstraintKind, constraintKinds } from "./constraint-kinds.ts";
import type { Kind } from "./kind.ts";
import { type AnyConstraint, type Entry, type Problem, Reader } from "./reading.ts";

export type ParsedConstraints =
  | { readonly ok: true; readonly constraints: readonly Constraint[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads constraints as schedulers and configurations write them: an object (several keys mean "and") or a
 * list of objects. Names every problem with its path, and never throws.
 */
export function parseConstraints(json: unknown): ParsedConstraints {
  const reader = new Reader(readEntry);
  const constraints = reader.all(json, "", 0);
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems };
  return { ok: true, constraints: constraints as readonly Constraint[] };
}

type AnyKind = Kind<AnyConstraint>;

const kinds = Object.values(constraintKinds) as readonly AnyKind[];
const kindsWith = (keys: AnyKind["keys"]) => kinds.filter((kind) => kind.keys === keys);
const ofProperties = kindsWith("node.*");
const ofResources = kindsWith("*");
const byKey: ReadonlyMap<string, readonly AnyKind[]> = new Map(
  kinds.flatMap((kind) =>
    typeof kind.keys === "string" ? [] : kind.keys.map((key) => [key, [kind]] as const),
  ),
);

/** A value may suit the second kind of its key: a number of a resource is an amount, a text is an option. */
function readEntry(entry: Entry, reader: Reader): readonly AnyConstraint[] {
  const kindsOfKey = byKey.get(entry.key) ?? (entry.key.startsWith("node.") ? ofProperties : ofResources);
  for (const kind of kindsOfKey) {
    const read = kind.read(entry, reader);
    if (read !== null) return read;
  }
  return [];
}

/** Small valid constraints, one for each kind that JSON has. */
export const constraintExamples: readonly { readonly kind: ConstraintKind; readonly json: object }[] =
  Object.entries(constraintKinds).flatMap(([kind, { example }]) =>
    example === null ? [] : [{ kind: kind as ConstraintKind, json: example }],
  );
