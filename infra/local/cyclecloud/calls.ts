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

export type Calls = ReturnType<typeof createCalls>;

const kept = 10_000;

export function createCalls() {
  let calls: Call[] = [];
  let total = 0;
  return {
    add(call: Call): void {
      total += 1;
      calls.push(call);
      // Halving now and then is cheaper than shifting the whole list at every call.
      if (calls.length > 2 * kept) calls = calls.slice(-kept);
    },
    /** The newest calls, oldest first. */
    recent: (): readonly Call[] => calls.slice(-kept),
    /** How many there were in all. */
    total: () => total,
    clear(): void {
      calls = [];
      total = 0;
    },
  };
}
