import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";

/** How submissions are drawn. `waves`: so many times some are submitted; `usual`: few of the options that are seldom used. */
export interface Draw {
  readonly seed: number;
  readonly count: number;
  readonly waves: number;
  readonly usual: boolean;
}

/** The same draws for the same seed. Both ends of a range can be drawn; `chance` is in per cent. */
export function drawsOf(seed: number) {
  const random = mersenne(seed);
  const int = (least: number, most: number) => uniformInt(random, least, Math.max(least, most));
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)] as T;
  const chance = (percent: number) => int(1, 100) <= percent;
  return { int, pick, chance };
}
