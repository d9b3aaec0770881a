import { z } from "zod";

/** How many spot nodes of an array Azure has, tick by tick, as published traces have it. After the last tick it begins anew. */
export const availabilitySchema = z.object({
  metadata: z.object({ gap_seconds: z.number().positive() }),
  data: z.array(z.int().min(0)).min(1),
});

export type Availability = z.output<typeof availabilitySchema>;

/** Nodes that there are at a moment, `sinceSeconds` after the trace began. */
export function availableAt({ metadata, data }: Availability, sinceSeconds: number): number {
  const tick = Math.floor(Math.max(0, sinceSeconds) / metadata.gap_seconds);
  return data[tick % data.length] ?? 0;
}
