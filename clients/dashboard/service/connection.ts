import { useEffect, useReducer } from "preact/hooks";
import type { CallError } from "./call.ts";

interface Asker {
  now(): void;
}

/** The service cannot be reached, or is not there: the same for all that a view asks for. */
export interface Trouble {
  /** What was said first: later failures of one trouble are not announced again. */
  readonly text: string;
  /** When a call succeeded last, in milliseconds; undefined: none has. */
  readonly heardMs: number | undefined;
}

const failing = new Set<Asker>();
const listeners = new Set<() => void>();
let trouble: Trouble | undefined;
let heardMs: number | undefined;

/** Whether an error says that the service is out of reach; what it answers itself has a problem type. */
export function isOutOfReach({ status, type }: Pick<CallError, "status" | "type">): boolean {
  return status === undefined || (type === undefined && (status === 429 || status >= 500));
}

export const connection = {
  /** After each call. */
  hear(asker: Asker, error: CallError | undefined): void {
    if (error !== undefined && isOutOfReach(error)) {
      failing.add(asker);
      show(trouble ?? { text: error.message, heardMs });
      return;
    }
    heardMs = Date.now();
    connection.leave(asker);
  },

  /** The call was cancelled or answered. */
  leave(asker: Asker): void {
    failing.delete(asker);
    if (failing.size === 0) show(undefined);
  },

  retry(): void {
    for (const asker of failing) asker.now();
  },
};

function show(next: Trouble | undefined): void {
  if (next === trouble) return;
  trouble = next;
  for (const listener of listeners) listener();
}

/** Undefined: all is well. */
export function useTrouble(): Trouble | undefined {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  useEffect(() => {
    const listener = () => redraw(0);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return trouble;
}
