import type { StoredMessage } from "./message.ts";

/** One durable fact. Replaying all of them in order gives the broker's state; locks are not among them. */
export type JournalRecord =
  /** The message is in the queue; replaces one with the same sequence number. */
  | { readonly op: "put"; readonly queue: string; readonly message: StoredMessage }
  | { readonly op: "drop"; readonly queue: string; readonly sequence: number }
  /** A message id entered the duplicate window at `at`. */
  | { readonly op: "seen"; readonly queue: string; readonly messageId: string; readonly at: number }
  /** The queue has given out this sequence number; written by snapshots so that numbers never repeat. */
  | { readonly op: "sequence"; readonly queue: string; readonly sequence: number };

/** Where the broker writes its facts, in order. What is written in one go must survive a kill together. */
export type Append = (record: JournalRecord) => void;
