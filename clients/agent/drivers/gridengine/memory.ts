import { z } from "zod";
import type { Memory } from "../driver.ts";

const hosts = z.array(z.string()).catch([]);
const details = z.object({
  /** Tasks of an array that may run at the same time (`-tc`); 0: all. */
  most: z.number(),
  /** Unix time (`-a`); 0: at once. */
  notBefore: z.number(),
  /** The advance reservation that it is bound to; 0: none. */
  reservation: z.number(),
  /** `qlogin`, `qrsh` and `qsh` that wait (`-now n`). */
  isInteractive: z.boolean().default(false),
  /** Its checkpointing environment (`-ckpt`); empty: none. */
  checkpoint: z.string().default(""),
  /** Why the scheduler did not start it, if it says so (`schedd_job_info`). */
  reason: z.string(),
});

/** What only `qstat -j` says of a job. */
export type Details = z.infer<typeof details>;

/** What the driver keeps between passes. What another version left counts as nothing. */
const schema = z.object({
  definitions: z.object({ text: z.string(), atSeconds: z.number() }).optional().catch(undefined),
  /** Of jobs that wait, as `qstat -j` said. */
  details: z.record(z.string(), details).catch({}),
  /** Jobs to ask about in the next pass. */
  asking: z.array(z.string().regex(/^\d{1,18}$/)).catch([]),
  /** The node array of a host, by its short name, as CycleCloud called its node. */
  arrays: z.record(z.string(), z.string()).catch({}),
  /** CycleCloud's id of the node that joined as a host, by the host's short name. */
  nodeIds: z.record(z.string(), z.string()).catch({}),
  /** Since when (Unix time) the daemon of a host has not answered, by the host's short name. */
  silentSince: z.record(z.string(), z.number()).catch({}),
  /** What hosts of an array were seen to have. */
  seen: z.record(z.string(), z.record(z.string(), z.string())).catch({}),
  /** Hosts that were disabled for an event, by their short names. */
  ours: hosts,
  /** Hosts that somebody else disabled. */
  others: hosts,
  /** Hosts that are to be removed, and may still be known to Grid Engine. */
  removed: hosts,
});

export type GridengineMemory = z.infer<typeof schema>;

export function readMemory(memory: Memory): GridengineMemory {
  return schema.parse(memory);
}
