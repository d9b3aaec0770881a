/** What a case found, by name, beside its time and memory. */
export type Figures = Readonly<Record<string, number>>;

/** Something that anybody may send, and what the service does with it. Run in a process of its own. */
export interface HostileCase {
  readonly name: string;
  readonly run: () => Figures | Promise<Figures>;
}

/** MB of heap that are in use. */
export function heapMb(): number {
  for (const _ of [1, 2]) globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1e6);
}

/** Seconds of processor time that some work took, and what it gave: on a busy machine a clock tells of the others, too. */
export function timed<T>(work: () => T): readonly [seconds: number, result: T] {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return [Number(((user + system) / 1e6).toFixed(2)), result];
}
