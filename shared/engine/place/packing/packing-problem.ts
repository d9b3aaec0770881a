/**
 * Which nodes to use and to make for slots that are known to be placed: numbers only, so that policies can try much in
 * little time. Slots that ask for the same are one item, nodes that are alike one kind.
 */
export interface PackingProblem {
  readonly items: readonly Item[];
  readonly kinds: readonly Kind[];
  /** What is left of each limit that kinds draw on. */
  readonly limits: readonly number[];
  /** For how long a node is paid for that holds so many slots, at its index; the last stands for more. Absent: an hour for all. */
  readonly hours?: readonly number[] | undefined;
  /** Whether new nodes may be made; else there are only those that are there. */
  readonly buys: boolean;
  /** Of which kinds new nodes may be made; absent: of all. */
  readonly makes?: ReadonlySet<number>;
}

/** Slots that ask for the same. */
export interface Item {
  readonly count: number;
  /** What one slot takes of a node, by the class of the node's kind; null: no node of that class has it. */
  readonly demands: readonly (readonly number[] | null)[];
  /** Kinds that will do. Items with the same list share one object. */
  readonly kinds: KindSet;
}

export interface KindSet {
  readonly has: (kind: number) => boolean;
  /** Whether new nodes of a kind will do once they are there: price decides no more. */
  readonly hasOnceThere: (kind: number) => boolean;
}

/** Nodes that are alike. */
export interface Kind {
  /** Kinds whose amounts are counted in the same columns are of one class. */
  readonly class: number;
  /** Of kinds that are as good, the one with the smaller rank is taken. */
  readonly rank: number;
  readonly capacity: readonly number[];
  /** US dollars for an hour of one node, of nodes that are there too: what is used of them first depends on it. */
  readonly price: number;
  /** Nodes that are there; null: new ones are made, at the price, as far as the limits allow. */
  readonly there: number | null;
  /** What a new node takes of the limits. */
  readonly charges: readonly { readonly limit: number; readonly amount: number }[];
}

/** Nodes of one kind that hold the same. */
export interface Load {
  readonly kind: number;
  readonly nodes: number;
  /** What each of them holds: pairs of an item and its slots. */
  readonly slots: readonly (readonly [item: number, count: number])[];
}

export interface Packing {
  readonly loads: readonly Load[];
  /** What the new nodes cost for as long as they are paid for. */
  readonly price: number;
  /** Slots that found no place. */
  readonly unplaced: number;
}

/** For how long a node is paid for that holds these slots. */
export function hoursFor({ hours }: Pick<PackingProblem, "hours">, slots: Load["slots"]): number {
  if (hours === undefined) return 1;
  const count = slots.reduce((sum, [, each]) => sum + each, 0);
  return hours[Math.min(count, hours.length - 1)] ?? 1;
}

/** One way to pack. Pure: the same problem gives the same packing. */
export interface Policy {
  readonly name: string;
  /** Whether it takes so long that only kinds are worth a look that other policies chose. */
  readonly isSlow: boolean;
  /** Null: it would take more steps than there are. */
  pack(problem: PackingProblem, steps: Steps): Packing | null;
}

/** Bounds what policies try. Counted, not timed: the same input gives the same plan. */
export interface Steps {
  left: number;
}
