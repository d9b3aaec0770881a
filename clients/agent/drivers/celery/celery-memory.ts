import { z } from "zod";
import type { Memory } from "../driver.ts";
import type { Constraints } from "./celery-settings.ts";

const task = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  queue: z.string().optional(),
  etaSeconds: z.number().optional(),
});

const workerSchema = z.object({
  /** When it last answered all that it was asked, in Unix time. */
  seenSeconds: z.number(),
  active: z.array(task),
  held: z.array(task),
});

const memorySchema = z.object({
  /** By worker name. */
  workers: z.record(z.string(), workerSchema).default({}),
  /** Queues that workers no longer consume, by worker name. */
  cancelled: z.record(z.string(), z.array(z.string())).default({}),
  /** Constraints that a header chose, by task id. */
  remembered: z
    .record(
      z.string(),
      z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]),
    )
    .default({}),
  /** Whether the broker reported what workers have taken and not acknowledged. */
  isHeldShown: z.boolean().default(false),
});

type Stored = z.infer<typeof memorySchema>;
export type KnownWorker = Stored["workers"][string];

/** What the driver remembers. Maps, because workers and tasks may be called like what every object has. */
export interface CeleryMemory {
  readonly workers: ReadonlyMap<string, KnownWorker>;
  readonly cancelled: ReadonlyMap<string, readonly string[]>;
  readonly remembered: ReadonlyMap<string, Constraints>;
  readonly isHeldShown: boolean;
}

/** Damaged, or of another version: as if nothing were remembered. */
export function recall(memory: Memory): CeleryMemory {
  const parsed = memorySchema.safeParse(memory);
  const stored: Stored = parsed.success
    ? parsed.data
    : { workers: {}, cancelled: {}, remembered: {}, isHeldShown: false };
  return {
    workers: new Map(Object.entries(stored.workers)),
    cancelled: new Map(Object.entries(stored.cancelled)),
    remembered: new Map(Object.entries(stored.remembered)),
    isHeldShown: stored.isHeldShown,
  };
}

/** As JSON can hold it. */
export function toMemory(memory: CeleryMemory): Memory {
  return {
    workers: Object.fromEntries(memory.workers),
    cancelled: Object.fromEntries(memory.cancelled),
    remembered: Object.fromEntries(memory.remembered),
    isHeldShown: memory.isHeldShown,
  };
}
