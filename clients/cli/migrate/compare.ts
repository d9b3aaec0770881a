import {
  type Bucket,
  type ClusterNode,
  forNodeArray,
  isIgnored,
  kindName,
  type Plan,
  type PlanInput,
  sizesByKind,
} from "../../../shared/engine/index.ts";

export interface SeenPlan {
  readonly input: PlanInput;
  readonly plan: Pick<Plan, "create" | "history" | "matched" | "retire" | "sizes" | "start">;
}

/** In what two autoscalers of one cluster differ: `they` is the one that acts, `we` is the one that only plans. */
type Cause = keyof typeof sentences;

/** Nodes that one had and the other had not, or that cost otherwise. */
interface Difference {
  readonly cause: Cause;
  /** A node array and VM size, and what we want in place of it. */
  readonly kind: string;
  readonly ourKind?: string;
  /** The job for which we want the node; null: none is known. */
  readonly job?: string | null;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  /** What we have more than they: -1, 0 or 1. */
  readonly nodes: number;
  /** What we pay more than they; null: the price is not known. */
  readonly usdPerHour: number | null;
}

interface Reason {
  readonly cause: Cause;
  readonly nodes: number;
  readonly sentence: string;
}

export interface ComparedHour {
  readonly atSeconds: number;
  readonly they: Decided;
  readonly we: Decided;
  /** How many nodes we would have had more on average of the hour; below 0: fewer. */
  readonly moreNodes: number;
  /** What we would have paid more for them; nodes without a known price are left out. */
  readonly moreUsd: number;
  readonly unpricedNodes: number;
  /** The most expensive first. */
  readonly reasons: readonly Reason[];
}

interface Decided {
  created: number;
  deleted: number;
}

/** A decision that the other takes within this time is the same decision. */
const sameWithinSeconds = 600;

const hourSeconds = 3_600;
const mostReasons = 3;

interface Wish {
  readonly sinceSeconds: number;
  readonly job: string | null;
}

/**
 * Compares what came and went in a cluster with what plans that were not sent wanted, plan by plan, the oldest first. Each plan
 * starts from the nodes that the other autoscaler left, so every decision is compared where it was taken, and what would have
 * followed from ours is not made up.
 */
export class Comparison {
  readonly #differences: Difference[] = [];
  readonly #hours = new Map<number, { readonly they: Decided; readonly we: Decided }>();
  #there: ReadonlyMap<string, ClusterNode> | undefined;
  /** Nodes that we want and that are not there, by kind, the oldest first. */
  #wishes = new Map<string, Wish[]>();
  /** Nodes that came and that we have no use for, with the time at which they came. */
  #surplus = new Map<string, number>();
  /** Nodes that we would have deleted, with the time of the first plan that says so. */
  #retired = new Map<string, number>();
  /** Nodes that we use, and for which we would have bought another size. */
  #substitutes = new Map<
    string,
    { readonly node: ClusterNode; readonly ourKind: string; readonly sinceSeconds: number }
  >();
  /** When nodes that the last plan saw will have been idle for too long; null: they are in use. */
  #idleEnds: ReadonlyMap<string, number | null> = new Map();
  /** The newest that is known of each. */
  #sizes: ReadonlyMap<string, Bucket> = new Map();

  see({ input, plan }: SeenPlan): void {
    const { nowSeconds, cluster } = input;
    const there = new Map(comparedNodes(input).map((node) => [node.nodeId, node]));
    this.#sizes = new Map([...this.#sizes, ...sizesByKind(cluster)]);
    const used = new Set(plan.matched);
    const early = this.#there === undefined ? [] : this.#changes(this.#there, there, { used, nowSeconds });
    this.#wish(wanted(input, plan), early, nowSeconds);
    this.#useSurplus(there, { used, nowSeconds });
    this.#retire(plan, there, nowSeconds);
    this.#idleEnds = idleEnds(input, plan);
    this.#there = there;
  }

  /** Ends the comparison at that time: plans that follow, if any, start anew. What is open for a short time is not judged. */
  end(untilSeconds: number): void {
    const isOld = (sinceSeconds: number) => untilSeconds - sinceSeconds > sameWithinSeconds;
    for (const [kind, wishes] of this.#wishes)
      for (const wish of wishes) if (isOld(wish.sinceSeconds)) this.#unmet(kind, wish, untilSeconds);
    for (const [nodeId, since] of this.#surplus)
      if (isOld(since)) this.#forNothing(nodeId, since, untilSeconds);
    for (const [nodeId, since] of this.#retired)
      if (isOld(since)) this.#deletedLater(nodeId, since, untilSeconds, false);
    for (const nodeId of [...this.#substitutes.keys()]) this.#endSubstitute(nodeId, untilSeconds);
    this.#wishes = new Map();
    this.#surplus = new Map();
    this.#retired = new Map();
    this.#substitutes = new Map();
    this.#there = undefined;
  }

  /** Hours in which one of them decided something, or had nodes that the other had not, the oldest first. */
  hours(): readonly ComparedHour[] {
    const ofDifferences = this.#differences.flatMap(hoursOf);
    return [...new Set([...this.#hours.keys(), ...ofDifferences])]
      .sort((a, b) => a - b)
      .map((atSeconds) => this.#hour(atSeconds));
  }

  #hour(atSeconds: number): ComparedHour {
    const parts = this.#differences
      .filter((each) => atSeconds >= hourOf(each.fromSeconds) && atSeconds <= lastHourOf(each))
      .map((each) => ({ ...each, hours: overlap(each, atSeconds) / hourSeconds }));
    const { they, we } = this.#hours.get(atSeconds) ?? nothingDecided();
    return {
      atSeconds,
      they,
      we,
      moreNodes: parts.reduce((sum, { nodes, hours }) => sum + nodes * hours, 0),
      moreUsd: parts.reduce((sum, { usdPerHour, hours }) => sum + (usdPerHour ?? 0) * hours, 0),
      unpricedNodes: parts.filter(({ usdPerHour }) => usdPerHour === null).length,
      reasons: reasonsOf(parts),
    };
  }

  /** What came and went since the plan before. Returns nodes that came before we wanted them, and that this plan uses. */
  #changes(
    before: ReadonlyMap<string, ClusterNode>,
    there: ReadonlyMap<string, ClusterNode>,
    { used, nowSeconds }: { readonly used: ReadonlySet<string>; readonly nowSeconds: number },
  ): readonly ClusterNode[] {
    for (const node of before.values()) if (!there.has(node.nodeId)) this.#gone(node, nowSeconds);
    const early: ClusterNode[] = [];
    for (const node of there.values()) {
      if (before.has(node.nodeId)) continue;
      const wish = this.#wishes.get(kindName(node))?.shift();
      if (wish !== undefined) this.#met(node, wish, nowSeconds);
      else if (used.has(node.name)) early.push(node);
      else {
        this.#decided("they", "created", nowSeconds);
        this.#surplus.set(node.nodeId, nowSeconds);
      }
    }
    return early;
  }

  #met(node: ClusterNode, { sinceSeconds, job }: Wish, nowSeconds: number): void {
    const isSame = nowSeconds - sinceSeconds <= sameWithinSeconds;
    this.#decided("we", "created", sinceSeconds);
    this.#decided("they", "created", isSame ? sinceSeconds : nowSeconds);
    if (isSame) return;
    const times = { fromSeconds: sinceSeconds, untilSeconds: nowSeconds };
    this.#differs("they-bought-later", { kind: kindName(node), job, ...times, nodes: 1 });
  }

  #gone(node: ClusterNode, nowSeconds: number): void {
    const { nodeId } = node;
    this.#endSubstitute(nodeId, nowSeconds);
    const surplusSince = this.#surplus.get(nodeId);
    const retiredSince = this.#retired.get(nodeId);
    if (surplusSince !== undefined) {
      this.#decided("they", "deleted", nowSeconds);
      this.#forNothing(nodeId, surplusSince, nowSeconds);
      this.#surplus.delete(nodeId);
    } else if (retiredSince !== undefined) {
      this.#deletedLater(nodeId, retiredSince, nowSeconds, true);
      this.#retired.delete(nodeId);
    } else {
      this.#decided("they", "deleted", nowSeconds);
      const idleEnd = this.#idleEnds.get(nodeId) ?? null;
      const times = { fromSeconds: nowSeconds, untilSeconds: idleEnd ?? nowSeconds };
      if (idleEnd === null) this.#differs("gone-in-use", { kind: kindName(node), ...times, nodes: 0 });
      else {
        // It cannot be seen any more whether a job would have used it; by what was known it would have gone then.
        this.#decided("we", "deleted", nowSeconds);
        if (idleEnd - nowSeconds > sameWithinSeconds)
          this.#differs("they-deleted-earlier", { kind: kindName(node), ...times, nodes: 1 });
      }
    }
  }

  /** Brings the wishes up to what this plan wants. */
  #wish(wanted: ReadonlyMap<string, Wanted>, early: readonly ClusterNode[], nowSeconds: number): void {
    const left = [...early];
    for (const kind of new Set([...this.#wishes.keys(), ...wanted.keys()])) {
      const wishes = this.#wishes.get(kind) ?? [];
      const { count = 0, job = null } = wanted.get(kind) ?? {};
      for (const wish of wishes.splice(count)) {
        const node = left.shift();
        if (node === undefined) this.#unmet(kind, wish, nowSeconds);
        else this.#substitute(node, { kind, wish }, nowSeconds);
      }
      while (wishes.length < count) wishes.push({ sinceSeconds: nowSeconds, job });
      this.#wishes.set(kind, wishes);
    }
    // They saw the job before a plan did.
    for (const _ of left)
      for (const side of ["they", "we"] as const) this.#decided(side, "created", nowSeconds);
  }

  #unmet(kind: string, { sinceSeconds, job }: Wish, untilSeconds: number): void {
    this.#decided("we", "created", sinceSeconds);
    const times = { fromSeconds: sinceSeconds, untilSeconds };
    this.#differs("they-bought-none", { kind, job, ...times, nodes: 1 });
  }

  #substitute(
    node: ClusterNode,
    { kind, wish }: { readonly kind: string; readonly wish: Wish },
    nowSeconds: number,
  ): void {
    this.#decided("we", "created", wish.sinceSeconds);
    this.#decided("they", "created", nowSeconds);
    this.#substitutes.set(node.nodeId, { node, ourKind: kind, sinceSeconds: nowSeconds });
  }

  #endSubstitute(nodeId: string, untilSeconds: number): void {
    const substitute = this.#substitutes.get(nodeId);
    if (substitute === undefined) return;
    const { node, ourKind, sinceSeconds: fromSeconds } = substitute;
    const times = { fromSeconds, untilSeconds };
    this.#differs("they-bought-another-size", { kind: kindName(node), ourKind, ...times, nodes: 0 });
    this.#substitutes.delete(nodeId);
  }

  #useSurplus(
    there: ReadonlyMap<string, ClusterNode>,
    { used, nowSeconds }: { readonly used: ReadonlySet<string>; readonly nowSeconds: number },
  ): void {
    for (const [nodeId, fromSeconds] of this.#surplus) {
      const node = there.get(nodeId);
      if (node === undefined || !used.has(node.name)) continue;
      this.#surplus.delete(nodeId);
      const isSame = nowSeconds - fromSeconds <= sameWithinSeconds;
      this.#decided("we", "created", isSame ? fromSeconds : nowSeconds);
      const times = { fromSeconds, untilSeconds: nowSeconds };
      if (!isSame) this.#differs("they-bought-earlier", { kind: kindName(node), ...times, nodes: -1 });
    }
  }

  #forNothing(nodeId: string, fromSeconds: number, untilSeconds: number): void {
    const node = this.#there?.get(nodeId);
    if (node === undefined) return;
    const times = { fromSeconds, untilSeconds };
    this.#differs("they-bought-for-nothing", { kind: kindName(node), ...times, nodes: -1 });
  }

  #retire({ retire }: SeenPlan["plan"], there: ReadonlyMap<string, ClusterNode>, nowSeconds: number): void {
    const ids = new Set(retire.map(({ nodeId }) => nodeId));
    for (const [nodeId, fromSeconds] of this.#retired) {
      const node = there.get(nodeId);
      if (ids.has(nodeId) || node === undefined) continue;
      this.#retired.delete(nodeId);
      this.#decided("we", "deleted", fromSeconds);
      const times = { fromSeconds, untilSeconds: nowSeconds };
      this.#differs("they-kept-what-was-used-again", { kind: kindName(node), ...times, nodes: -1 });
    }
    // We would not have bought a surplus node, so we do not delete it either.
    for (const nodeId of ids)
      if (there.has(nodeId) && !this.#surplus.has(nodeId) && !this.#retired.has(nodeId))
        this.#retired.set(nodeId, nowSeconds);
  }

  /** `isGone`: they did delete it. */
  #deletedLater(nodeId: string, fromSeconds: number, untilSeconds: number, isGone: boolean): void {
    const node = this.#there?.get(nodeId);
    const isSame = untilSeconds - fromSeconds <= sameWithinSeconds;
    this.#decided("we", "deleted", fromSeconds);
    if (isGone) this.#decided("they", "deleted", isSame ? fromSeconds : untilSeconds);
    if (node === undefined || isSame) return;
    const times = { fromSeconds, untilSeconds };
    this.#differs("they-deleted-later", { kind: kindName(node), ...times, nodes: -1 });
  }

  #decided(side: "they" | "we", what: keyof Decided, atSeconds: number): void {
    const hour = hourOf(atSeconds);
    const decided = this.#hours.get(hour) ?? nothingDecided();
    decided[side][what] += 1;
    this.#hours.set(hour, decided);
  }

  #differs(cause: Cause, difference: Omit<Difference, "cause" | "usdPerHour">): void {
    this.#differences.push({ ...difference, cause, usdPerHour: this.#moreUsd(difference) });
  }

  #moreUsd({ kind, ourKind, nodes }: Pick<Difference, "kind" | "ourKind" | "nodes">): number | null {
    if (ourKind === undefined && nodes === 0) return 0;
    const usd = this.#sizes.get(kind)?.pricePerHourUsd ?? null;
    if (ourKind === undefined) return usd === null ? null : nodes * usd;
    const ours = this.#sizes.get(ourKind)?.pricePerHourUsd ?? null;
    return usd === null || ours === null ? null : ours - usd;
  }
}

interface Wanted {
  count: number;
  job: string | null;
}

/** New nodes and starts of a plan, by kind. */
function wanted(
  { cluster }: PlanInput,
  { create, start, sizes }: SeenPlan["plan"],
): ReadonlyMap<string, Wanted> {
  const kinds = new Map<string, Wanted>();
  const add = (kind: string, count: number, job: string | null) => {
    const before = kinds.get(kind);
    kinds.set(kind, { count: count + (before?.count ?? 0), job: before?.job ?? job });
  };
  create.forEach((set, index) => {
    add(kindName(set), set.count, sizes[index]?.job ?? null);
  });
  const nodes = new Map(cluster.nodes.map((node) => [node.nodeId, node]));
  for (const { nodeId } of start) {
    const node = nodes.get(nodeId);
    if (node !== undefined) add(kindName(node), 1, null);
  }
  return kinds;
}

/** Nodes that are there and that an autoscaler may touch. */
function comparedNodes({ cluster, settings }: PlanInput): readonly ClusterNode[] {
  const enabled = new Set(cluster.nodeArrays.filter((array) => array.enabled).map(({ name }) => name));
  return cluster.nodes.filter(
    (node) =>
      enabled.has(node.nodeArray) &&
      node.targetState === "Started" &&
      !isIgnored(node, settings.ignoredNodes),
  );
}

/** When each node that no job needs will have been idle for its time-out; null: it is needed, or not up yet. */
function idleEnds(
  { history, settings }: PlanInput,
  plan: SeenPlan["plan"],
): ReadonlyMap<string, number | null> {
  return new Map(
    [...history, ...plan.history].map(({ nodeId, nodeArray, lastMatchSeconds }) => {
      const idleSeconds = forNodeArray(settings.idleTimeoutSeconds, nodeArray);
      return [nodeId, lastMatchSeconds === null ? null : lastMatchSeconds + idleSeconds];
    }),
  );
}

function nothingDecided() {
  return { they: { created: 0, deleted: 0 }, we: { created: 0, deleted: 0 } };
}

function hourOf(atSeconds: number): number {
  return Math.floor(atSeconds / hourSeconds) * hourSeconds;
}

function hoursOf(difference: Difference): readonly number[] {
  const first = hourOf(difference.fromSeconds);
  const count = (lastHourOf(difference) - first) / hourSeconds + 1;
  return Array.from({ length: count }, (_, index) => first + index * hourSeconds);
}

/** What ends at a full hour has no part of the hour that begins then. */
function lastHourOf({ fromSeconds, untilSeconds }: Difference): number {
  const last = Math.ceil(untilSeconds / hourSeconds) * hourSeconds - hourSeconds;
  return Math.max(hourOf(fromSeconds), last);
}

function overlap({ fromSeconds, untilSeconds }: Difference, hour: number): number {
  return Math.max(0, Math.min(untilSeconds, hour + hourSeconds) - Math.max(fromSeconds, hour));
}

/** Differences of one cause and kind are one reason. */
function reasonsOf(parts: readonly (Difference & { readonly hours: number })[]): readonly Reason[] {
  const alike = Map.groupBy(parts, ({ cause, kind, ourKind }) => JSON.stringify([cause, kind, ourKind]));
  const usdOf = (some: typeof parts) =>
    some.reduce((sum, { usdPerHour, hours }) => sum + Math.abs((usdPerHour ?? 0) * hours), 0);
  return [...alike.values()]
    .sort((a, b) => usdOf(b) - usdOf(a) || b.length - a.length)
    .slice(0, mostReasons)
    .flatMap((some) => {
      const [first] = some;
      if (first === undefined) return [];
      return [{ cause: first.cause, nodes: some.length, sentence: sentenceOf(first, some.length) }];
    });
}

interface Words {
  readonly nodes: string;
  readonly forJob: string;
  readonly ourKind: string;
}

const sentences = {
  "they-bought-none": ({ nodes, forJob }: Words) => `we want ${nodes}${forJob}, they bought none`,
  "they-bought-later": ({ nodes, forJob }: Words) => `they bought ${nodes}${forJob} later`,
  "they-bought-earlier": ({ nodes }: Words) => `they bought ${nodes} earlier`,
  "they-bought-for-nothing": ({ nodes }: Words) => `they bought ${nodes} that no job or target needs`,
  "they-bought-another-size": ({ nodes, ourKind }: Words) => `they bought ${nodes}, we want ${ourKind}`,
  "they-deleted-later": ({ nodes }: Words) => `they keep ${nodes} longer`,
  "they-deleted-earlier": ({ nodes }: Words) => `they deleted ${nodes} earlier`,
  "they-kept-what-was-used-again": ({ nodes }: Words) => `they kept ${nodes}, which was used again`,
  "gone-in-use": ({ nodes }: Words) => `${nodes} went while booting or needed: deleted, or taken by Azure`,
};

function sentenceOf({ cause, kind, ourKind = "", job = null }: Difference, count: number): string {
  const forJob = job === null ? "" : ` for job ${job}`;
  return sentences[cause]({ nodes: `${count} ${kind}`, forJob, ourKind });
}
