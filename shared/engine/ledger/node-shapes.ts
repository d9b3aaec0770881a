import { kindName } from "../model/bucket.ts";
import type { NodeShape } from "../model/node.ts";
import type { Warning } from "../model/plan-result.ts";
import { isSize, type Resources, type Scalar } from "../values/resources.ts";
import { memoryOf, memoryResources, normalise } from "./stock.ts";

/** What schedulers count of the nodes of one bucket that have not joined. */
export interface CountedNode {
  readonly resources: Resources;
  /** Sources by what they count; a source whose shape leaves a resource out that it knows elsewhere counts it, too. */
  readonly countedBy: ReadonlyMap<string, string>;
  /** Resources that a source knows on nodes of other arrays or sizes, and none has on these. */
  readonly absent: ReadonlySet<string>;
  /** The first source with a word about these nodes: what nobody reports of them, it does not report either. */
  readonly source: string;
}

/**
 * The shapes of nodes that sources report, one for each array and VM size. Of one source the shape of the size counts
 * before that of its array. Of several sources the smaller amounts count: a node has to do for each of them.
 */
export class NodeShapes {
  readonly #bySource = new Map<string, NodeShape[]>();
  /** Every resource that a source reports of some node. */
  readonly #vocabulary = new Map<string, Set<string>>();
  readonly #known = new Map<string, CountedNode | null>();
  readonly #warn: (warning: Warning) => void;

  constructor(shapes: readonly NodeShape[], warn: (warning: Warning) => void) {
    this.#warn = warn;
    const ordered = [...shapes].sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0));
    for (const shape of ordered) {
      const normal = { ...shape, resources: inEveryUnit(shape.resources) };
      const known = this.#bySource.get(shape.source);
      if (known === undefined) this.#bySource.set(shape.source, [normal]);
      else known.push(normal);
      const words = this.#vocabulary.get(shape.source) ?? new Set();
      this.#vocabulary.set(shape.source, words);
      for (const name of Object.keys(normal.resources)) words.add(name);
    }
  }

  /** Null: no scheduler reports anything of such nodes. */
  of(nodeArray: string, vmSize: string): CountedNode | null {
    const key = kindName({ nodeArray, vmSize });
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const counted = this.#merge(nodeArray, vmSize);
    this.#known.set(key, counted);
    return counted;
  }

  #merge(nodeArray: string, vmSize: string): CountedNode | null {
    const found = [...this.#bySource.values()].flatMap((shapes) => shapeFor(shapes, nodeArray, vmSize) ?? []);
    const [first] = found;
    if (first === undefined) return null;
    const resources: Record<string, Scalar> = {};
    const countedBy = new Map<string, string>();
    for (const { source, resources: own } of found)
      for (const [name, value] of Object.entries(own)) {
        const before = countedBy.get(name);
        const counted = resources[name] ?? value;
        if (before !== undefined && !isSame(counted, value))
          this.#differ(nodeArray, name, [before, counted], [source, value]);
        if (before !== undefined && !isLess(value, counted)) continue;
        resources[name] = value;
        countedBy.set(name, source);
      }
    const absent = new Set<string>();
    for (const { source } of found)
      for (const name of this.#vocabulary.get(source) ?? []) {
        if (countedBy.has(name) || everyVmHas.has(name)) continue;
        countedBy.set(name, source);
        if (name === "ngpus") resources[name] = 0;
        else absent.add(name);
      }
    return { resources, countedBy, absent, source: first.source };
  }

  #differ(
    nodeArray: string,
    resource: string,
    [one, ofOne]: readonly [string, Scalar],
    [other, ofOther]: readonly [string, Scalar],
  ): void {
    // Said once, in the unit that was reported.
    if (memoryOf({ [resource]: ofOne }) !== undefined && resource !== "memmb") return;
    this.#warn({
      code: "node-shapes-differ",
      subject: nodeArray,
      message: `Sources "${one}" and "${other}" differ about ${resource} of new nodes of "${nodeArray}" (${shown(ofOne)} and ${shown(ofOther)}): the smaller amount counts`,
    });
  }
}

/** A shape that leaves one of these out says nothing of it, and the VM's counts. */
const everyVmHas: ReadonlySet<string> = new Set([
  ...["ncpus", "pcpus", "nodearray", "ccnodeid"],
  ...memoryResources(0).map(([name]) => name),
]);

/** Resources as a scheduler reports them; what it says of memory in one unit holds in all. */
export function inEveryUnit(resources: Resources): Resources {
  const normal = Object.fromEntries(
    Object.entries(resources).map(([name, value]) => [name, normalise(name, value)]),
  );
  const memory = memoryOf(normal);
  return memory === undefined ? normal : { ...Object.fromEntries(memoryResources(memory)), ...normal };
}

function shapeFor(shapes: readonly NodeShape[], nodeArray: string, vmSize: string): NodeShape | undefined {
  const size = vmSize.toLowerCase();
  const ofArray = shapes.filter((shape) => shape.nodeArray === nodeArray);
  return (
    ofArray.find((shape) => shape.vmSize?.toLowerCase() === size) ??
    ofArray.find((shape) => shape.vmSize === null)
  );
}

function isLess(a: Scalar, b: Scalar): boolean {
  const [left, right] = [numberIn(a), numberIn(b)];
  return left !== undefined && right !== undefined && left < right;
}

function isSame(a: Scalar, b: Scalar): boolean {
  return a === b || (numberIn(a) !== undefined && numberIn(a) === numberIn(b));
}

function numberIn(value: Scalar): number | undefined {
  if (typeof value === "number") return value;
  return value !== null && isSize(value) ? value.bytes : undefined;
}

function shown(value: Scalar): string {
  return String(value !== null && isSize(value) ? `${Math.round(value.bytes / 1024 ** 2)} MiB` : value);
}
