import { isHostName, type NodeProperty } from "../constraints/node-properties.ts";
import type { Scalar } from "../values/resources.ts";
import type { LedgerBucket, LedgerNode } from "./ledger-bucket.ts";

/** Properties that few nodes share, so that an index over them is worth its memory. */
export const namingProperties = [
  "name",
  "hostname",
  "fqdn",
  "hostname_or_uuid",
  "private_ip",
  "instance_id",
] as const satisfies readonly NodeProperty[];

/** Whether a property is what a node is called. */
export function isNaming(property: NodeProperty): property is (typeof namingProperties)[number] {
  return namingProperties.some((name) => name === property);
}

function spelled(naming: string, value: string): string {
  return isHostName(naming) ? value.toLowerCase() : value;
}

/** A property, or a resource that is a name. */
export type Naming = (typeof namingProperties)[number] | `resource ${string}`;

const resourcePrefix = "resource ";

/** Finds nodes by a resource of theirs. */
export function byResource(name: string): Naming {
  return `${resourcePrefix}${name}`;
}

/** Nodes that a plan makes have only these; the others are null until they boot. */
export function isKnownOfNewNodes(naming: Naming): boolean {
  return naming === "name" || naming === "hostname_or_uuid";
}

/** Finds nodes by what they are called. Each property is worked out when it is first asked for. */
export class NodeIndex {
  readonly #buckets: readonly LedgerBucket[];
  readonly #byNaming = new Map<Naming, ReadonlyMap<string, readonly LedgerNode[]>>();
  /** Nodes that the plan made, by name; null: nobody asked for one yet. */
  #made: Map<string, LedgerNode> | null = null;

  /** Index of the nodes of some buckets, which may become more. */
  constructor(buckets: readonly LedgerBucket[]) {
    this.#buckets = buckets;
  }

  /** Nodes that are there from the start. */
  find(naming: Naming, value: string): readonly LedgerNode[] {
    const known = this.#byNaming.get(naming) ?? this.#build(naming);
    return known.get(spelled(naming, value)) ?? [];
  }

  /** The node of that name, if the plan made it. */
  findMade(name: string): LedgerNode | undefined {
    this.#made ??= new Map(
      this.#buckets.flatMap(({ nodes, firstNodes }) =>
        nodes.slice(firstNodes).map((node) => [node.name, node] as const),
      ),
    );
    return this.#made.get(name);
  }

  note(made: LedgerNode): void {
    this.#made?.set(made.name, made);
  }

  forget(made: LedgerNode): void {
    this.#made?.delete(made.name);
  }

  #build(naming: Naming): ReadonlyMap<string, readonly LedgerNode[]> {
    const nodes = new Map<string, LedgerNode[]>();
    for (const node of this.#buckets.flatMap((bucket) => bucket.nodes.slice(0, bucket.firstNodes))) {
      const value = valueIn(node, naming);
      if (typeof value !== "string") continue;
      const name = spelled(naming, value);
      const same = nodes.get(name);
      if (same === undefined) nodes.set(name, [node]);
      else same.push(node);
    }
    this.#byNaming.set(naming, nodes);
    return nodes;
  }
}

function valueIn(node: LedgerNode, naming: Naming): Scalar | undefined {
  return naming.startsWith(resourcePrefix)
    ? node.resource(naming.slice(resourcePrefix.length))
    : node.property(naming as NodeProperty);
}
