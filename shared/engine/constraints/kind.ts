import type { Resources, Scalar } from "../values/resources.ts";
import type { Size } from "../values/units.ts";
import type { NodeProperty } from "./node-properties.ts";
import type { AnyConstraint, Entry, Reader } from "./reading.ts";
import type { SharedDraw } from "./shared-pool.ts";
import type { Subject } from "./subject.ts";

/**
 * All that the engine knows of one kind of constraint. A kind is one file that holds its type and these rules. What is
 * optional has a default that suits a constraint that stands by itself, takes nothing and leaves the order of buckets as it is.
 */
export interface Kind<C extends AnyConstraint, Code extends string = string> {
  /** The keys of JSON that mean it. `node.*`: every node property. `*`: every other key, which names a resource. */
  readonly keys: readonly string[] | "node.*" | "*";
  /** JSON Schema of the value after the key; constraints inside it are `#/$defs/constraints`. */
  readonly schema: object;
  /** A small valid constraint of it, for tests and documents; null: nobody can ask for it in JSON. */
  readonly example: Readonly<Record<string, unknown>> | null;
  /** Keys of the objects after its key, of which misspelt ones are warned about. */
  readonly innerKeys?: readonly string[];
  /** Reads the value after its key; problems go to the reader. Null: the value is one for another kind with this key. */
  read(entry: Entry, reader: Reader): readonly AnyConstraint[] | null;

  /** The constraint that refuses the subject: itself or the part of it that decides; null when it is satisfied. */
  refusing(constraint: C, subject: Subject, rules: Rules): AnyConstraint | null;
  /** Code and figures of its refusal. No prose. */
  figures(constraint: C, subject: Subject, rules: Rules): Figures<Code>;
  /** How many comparisons `refusing` makes with one subject. Default: 1. */
  checks?(constraint: C, rules: Rules): number;
  /** What it costs beyond a constraint of one part, against the cap on the parts of a job. Default: 0. */
  extraParts?(constraint: C): number;
  /** A short copy for stored reasons. Default: itself. */
  shortened?(constraint: C, short: Shortening): AnyConstraint;

  /** The constraints that it consists of. Absent: it stands by itself. */
  parts?(constraint: C): readonly AnyConstraint[];
  /** Those of its parts through which it takes something, once it is satisfied. */
  taking?(constraint: C, subject: Subject, rules: Rules): readonly AnyConstraint[];
  /** "or": only one of its taking parts takes, the first for which there is room. */
  readonly isChoice?: true;
  /** Whether a node that it refused may satisfy it after another job took something there. */
  mayAcceptLater?(constraint: C, rules: Rules): boolean;
  /** "and": its parts stand for themselves wherever it may be opened. */
  readonly isConjunction?: true;

  /** What a slot uses up. Absent: nothing. */
  take?(constraint: C, takings: Takings): void;
  /** How much of a node with these resources one slot takes, 1 for all of it. Default: 0. */
  share?(constraint: C, resources: Resources, rules: Rules): number;

  /** What of a node it looks at: all that the nodes of a bucket share, its situation in a plan, or something of its own. */
  looksAt(constraint: C): LooksAt;
  /** How it changes the order of buckets. Absent: not at all. */
  readonly preference?: Preference<C>;
}

export interface Figures<Code extends string = string> {
  readonly code: Code;
  /** How much was asked, or the value wanted. */
  readonly asked: Scalar;
  /** How much there was, or the value found. */
  readonly left: Scalar;
}

export type LooksAt =
  | "bucket"
  | "situation"
  | { readonly resource: string }
  | { readonly property: NodeProperty };

/** How constraints of one kind change a bucket's weight; higher comes first. */
export interface Preference<C extends AnyConstraint> {
  /** Whether it can weigh one bucket other than the next: a single option adds the same to every bucket that it allows. */
  mayReorder(constraint: C): boolean;
  reweigh(constraint: C, example: Subject, weight: number, rules: Rules): number;
}

/** Receives what a slot uses up. */
interface Takings {
  amount(constraint: AmountTaken): void;
  draws(constraint: DrawsTaken): void;
  exclusive(scope: "iteration" | "task"): void;
}

export interface AmountTaken extends AnyConstraint {
  readonly resource: string;
  /** A plain number of a size is in that size's own unit. */
  readonly amount: number | Size;
}

export interface DrawsTaken extends AnyConstraint {
  readonly draws: readonly SharedDraw[];
}

/** The rules of all kinds, for a constraint that consists of others. */
export interface Rules {
  refusing(constraint: AnyConstraint, subject: Subject): AnyConstraint | null;
  checksOf(constraints: readonly AnyConstraint[]): number;
  takesSomething(constraint: AnyConstraint): boolean;
  mayAcceptLater(constraint: AnyConstraint): boolean;
  /** The resources that constraints use up. */
  resourcesIn(constraints: readonly AnyConstraint[]): ReadonlySet<string>;
  shareOf(constraint: AnyConstraint, resources: Resources): number;
}

/** How reasons are shortened without a mark of what is missing: the archived input has the whole. */
export interface Shortening {
  text(text: string): string;
  scalar(value: Scalar): Scalar;
  list<T>(items: readonly T[]): readonly T[];
  /** The first parts, shortened; none below the last level. */
  parts(parts: readonly AnyConstraint[]): readonly AnyConstraint[];
}

/** Each place from the end of a list of options is worth this much. */
const placeWeight = 100;

/** The weight of a bucket that has the option at this place of so many; -1: it has none. */
export function placed(places: number, index: number, weight: number): number {
  return index < 0 ? 0 : weight + placeWeight * (places - index);
}

/** Index of the first of several constraints that is satisfied; -1: none. */
export function firstSatisfiedBy(
  constraints: readonly AnyConstraint[],
  subject: Subject,
  rules: Rules,
): number {
  return constraints.findIndex((each) => rules.refusing(each, subject) === null);
}

/** The share of a node that the first alternative takes which such a node can hold. */
export function firstShareThatFits(
  alternatives: readonly AnyConstraint[],
  resources: Resources,
  rules: Rules,
): number {
  const shares = alternatives.map((each) => rules.shareOf(each, resources));
  return shares.find((share) => share <= 1) ?? shares[0] ?? 0;
}

/** The rules of a kind, with the codes of its reasons in their type. */
export function kindOf<C extends AnyConstraint>() {
  return <const Code extends string>(rules: Kind<C, Code>): Kind<C, Code> => rules;
}
