/** One request that the API answered, or was made not to answer. */
interface Call {
  /** Simulated seconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Null when the connection was cut instead. */
  readonly status: number | null;
  /** The kind of the injected fault, if there was one. */
  readonly fault: string | null;
}

export interface Calls {
  add(call: Call): void;
  /** The newest calls, oldest first. */
  recent(): readonly Call[];
  /** How many there were in all. */
  total(): number;
  clear(): void;
}

const kept = 10_000;

export function createCalls(): Calls {
  let calls: Call[] = [];
  let total = 0;
  return {
    add(call) {
      total += 1;
      calls.push(call);
      // Halving now and then is cheaper than shifting the whole list at every call.
      if (calls.length > 2 * kept) calls = calls.slice(-kept);
    },
    recent: () => calls.slice(-kept),
    total: () => total,
    clear() {
      calls = [];
      total = 0;
    },
  };
}
