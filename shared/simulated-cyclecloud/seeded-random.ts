import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import type { Duration } from "./definition.ts";

export type Random = ReturnType<typeof createRandom>;

/** Seeded: the same seed and the same calls draw the same values. */
export function createRandom(seed: number) {
  // Neighbouring seeds must not draw alike: every cluster of a server gets the next one.
  const generator = mersenne(seed);
  const share = () => uniformFloat64(generator);
  return {
    /** From 0 to 1, 1 excluded. */
    share,
    /** Seconds; half of the draws are below the median, and long ones are rare. */
    seconds: ({ minSeconds, medianSeconds, maxSeconds }: Duration): number => {
      if (share() < 0.5) return minSeconds + share() * (medianSeconds - minSeconds);
      // The cube gives the long, thin tail that boot times have.
      return medianSeconds + share() ** 3 * (maxSeconds - medianSeconds);
    },
    /** Seconds until the next of `perHour` events an hour; infinite for none. */
    untilNext: (perHour: number) => (perHour === 0 ? Infinity : (-Math.log(1 - share()) * 3600) / perHour),
    uuid: () => toUuid(Uint8Array.from({ length: 16 }, () => uniformInt(generator, 0, 255))),
  };
}

/** Writes 16 bytes as a version 4 UUID. */
export function toUuid(bytes: Uint8Array): string {
  const stamped = bytes.map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  return Buffer.from(stamped.subarray(0, 16))
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
