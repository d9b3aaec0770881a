import { defineJob, type Job, parseConstraints, plan } from "../../../shared/engine/index.ts";
import { violationsOf } from "../../shared/engine/plan-validity.ts";
import { numbers } from "../clusters.ts";
import { inputOf, marketOf } from "./market.ts";

/** Items to be packed into as few equal bins as possible: what each takes of each dimension. */
export interface Instance {
  readonly name: string;
  readonly capacity: number;
  readonly items: readonly (readonly number[])[];
}

/** Whole numbers from the first to the last. */
type Between = (first: number, last: number) => number;
type Maker = (dimensions: number, between: Between) => () => readonly number[];

function evenly(first: number, last: number): Maker {
  return (dimensions, between) => () => Array.from({ length: dimensions }, () => between(first, last));
}

/** The first dimension from 20 to 100; in the others, what is large there is large, or small, too. */
function beside(range: (first: number) => readonly [number, number]): Maker {
  return (dimensions, between) => () => {
    const first = between(20, 100);
    return Array.from({ length: dimensions }, (_, k) => (k % 2 === 0 ? first : between(...range(first))));
  };
}

/** Three items fill a bin to the last: the fewest bins are known, and hard to find. */
const threes: Maker = (dimensions, between) => {
  let pending: (readonly number[])[] = [];
  const third = () => {
    const first = between(250, 500);
    const second = between(Math.ceil((1000 - first) * 0.3), Math.floor((1000 - first) * 0.7));
    return [first, second, 1000 - first - second];
  };
  return () => {
    if (pending.length === 0) {
      const cuts = Array.from({ length: dimensions }, third);
      pending = [0, 1, 2].map((k) => cuts.map((cut, d) => cut[(k + d) % 3] ?? 0));
    }
    return pending.pop() ?? [];
  };
};

/** In the style of those that papers on vector packing use. */
const classes: readonly { readonly name: string; readonly capacity: number; readonly maker: Maker }[] = [
  { name: "10 to 40 % of a bin", capacity: 1000, maker: evenly(100, 400) },
  { name: "up to 100 %", capacity: 1000, maker: evenly(1, 1000) },
  { name: "20 to 80 %", capacity: 1000, maker: evenly(200, 800) },
  { name: "5 to 20 %", capacity: 1000, maker: evenly(50, 200) },
  { name: "2.5 to 10 %", capacity: 1000, maker: evenly(25, 100) },
  { name: "13 to 67 %", capacity: 150, maker: evenly(20, 100) },
  { name: "alike in all", capacity: 150, maker: beside((first) => [Math.max(1, first - 10), first + 10]) },
  { name: "large here, small there", capacity: 150, maker: beside((first) => [110 - first, 130 - first]) },
  { name: "three fill a bin", capacity: 1000, maker: threes },
];

const dimensions = [2, 3];
const sizes = [24, 51, 99, 201];

export function instances(): readonly Instance[] {
  const below = numbers(7);
  const between: Between = (first, last) => first + below(last - first + 1);
  return dimensions.flatMap((count) =>
    classes.flatMap(({ name, capacity, maker }) => {
      return sizes.map((size): Instance => {
        const item = maker(count, between);
        const items = Array.from({ length: size }, item);
        return { name: `${count} dimensions, ${name}`, capacity, items: shuffled(items, below) };
      });
    }),
  );
}

function shuffled<T>(list: readonly T[], below: (n: number) => number): readonly T[] {
  const mixed = [...list];
  for (let last = mixed.length - 1; last > 0; last--) {
    const at = below(last + 1);
    [mixed[last], mixed[at]] = [mixed[at] as T, mixed[last] as T];
  }
  return mixed;
}

const resources = ["a", "b", "c"];

/** Bins that a plan buys: items are jobs, bins are nodes. Throws when the plan is not valid, or leaves an item out. */
export function binsOf({ name, capacity, items }: Instance, placement: "reuse" | "cost"): number {
  const market = marketOf([{ vmSize: "Standard_D2s_v5", vcpus: 2, memoryGiB: 8, price: 1 }]);
  const nodeArrays = market.nodeArrays.map((array) => ({
    ...array,
    resources: Object.fromEntries(resources.map((resource) => [resource, capacity])),
  }));
  const input = inputOf({ ...market, nodeArrays }, items.map(jobOf), placement);
  const result = plan(input);
  const violations = violationsOf(input, result);
  if (violations.length > 0) throw new Error(`${name}: ${violations[0]}`);
  if (result.jobs.some(({ granted }) => granted < 1)) throw new Error(`${name}: an item is left out`);
  return result.create.reduce((sum, { count }) => sum + count, 0);
}

function jobOf(item: readonly number[], index: number): Job {
  const parsed = parseConstraints(Object.fromEntries(item.map((amount, k) => [resources[k], amount])));
  if (!parsed.ok) throw new Error(`Item ${index} cannot be read`);
  return defineJob({ name: `item-${index}`, constraints: parsed.constraints });
}
