import type { MarketSize } from "./market.ts";

/** A job of a recorded workload as the driver of its scheduler would send it. */
export interface ParallelWant {
  readonly name: string;
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly nodes: number;
  readonly exclusive: boolean;
}

/**
 * The best of simple rules for jobs of several different nodes, for comparison: the largest jobs first, each whole on nodes of
 * one size, where that adds the least money, or where a share of its nodes costs least; with each size before all others, too.
 */
export function wholeJobsPrice(wants: readonly ParallelWant[], sizes: readonly MarketSize[]): number {
  const only = (name: string) => (size: MarketSize) => (size.vmSize === name ? 0 : 1e9);
  const extras = [() => 0, ...sizes.map(({ vmSize }) => only(vmSize))];
  const orders = [bySize, byWidth].map((compare) => wants.toSorted((a, b) => compare(b) - compare(a)));
  const prices = orders.flatMap((order) => [
    ...extras.map((extra) => fill(order, sizes, (size, _, made) => made * size.price + extra(size))),
    fill(order, sizes, (size, want, made) => (made > 0 ? shareOf(want, size) * size.price : 0)),
  ]);
  return Math.min(...prices);
}

const bySize = ({ ncpus, memoryGiB }: ParallelWant): number => ncpus + memoryGiB / 8;
const byWidth = ({ nodes, ncpus }: ParallelWant): number => nodes * ncpus;

interface Room {
  cpus: number;
  memoryGiB: number;
}

type Score = (size: MarketSize, want: ParallelWant, made: number) => number;

function fill(wants: readonly ParallelWant[], sizes: readonly MarketSize[], score: Score): number {
  const rooms = sizes.map((): Room[] => []);
  let usd = 0;
  for (const want of wants) {
    const choices = sizes.flatMap((size, index) => {
      if (size.vcpus < want.ncpus || size.memoryGiB < want.memoryGiB) return [];
      const used = want.exclusive ? [] : roomsFor(want, rooms[index] ?? []);
      return [{ size, index, used, score: score(size, want, want.nodes - used.length) }];
    });
    const { size, index, used } = choices.reduce((a, b) => (b.score < a.score ? b : a));
    for (const room of used) take(room, want);
    for (let made = used.length; made < want.nodes; made++) {
      usd += size.price;
      if (want.exclusive) continue;
      const room = { cpus: size.vcpus, memoryGiB: size.memoryGiB };
      take(room, want);
      rooms[index]?.push(room);
    }
  }
  return usd;
}

function roomsFor(want: ParallelWant, rooms: readonly Room[]): readonly Room[] {
  const found: Room[] = [];
  for (const room of rooms) {
    if (found.length === want.nodes) break;
    if (room.cpus >= want.ncpus && room.memoryGiB >= want.memoryGiB) found.push(room);
  }
  return found;
}

function take(room: Room, { ncpus, memoryGiB }: ParallelWant): void {
  room.cpus -= ncpus;
  room.memoryGiB -= memoryGiB;
}

function shareOf({ ncpus, memoryGiB, exclusive }: ParallelWant, size: MarketSize): number {
  return exclusive ? 1 : Math.max(ncpus / size.vcpus, memoryGiB / size.memoryGiB);
}
