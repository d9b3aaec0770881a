import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";

/** Seeded draws: the same seed and the same questions give the same answers. */
export interface Chance {
  /** True in `probability` of all draws. */
  happens(probability: number): boolean;
  /** Evenly from `least` to `most`, fractions allowed. */
  between(least: number, most: number): number;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  /** One of the list, which must not be empty. */
  pick<T>(list: readonly [T, ...T[]]): T;
}

export function createChance(seed: number): Chance {
  const generator = mersenne(seed);
  const share = () => uniformFloat64(generator);
  const whole = (least: number, most: number) => least + Math.floor(share() * (most - least + 1));
  return {
    happens: (probability) => share() < probability,
    between: (least, most) => least + share() * (most - least),
    whole,
    pick: (list) => list[whole(0, list.length - 1)] ?? list[0],
  };
}
