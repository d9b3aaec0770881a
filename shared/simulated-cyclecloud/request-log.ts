import { z } from "zod";

/** The bodies of the calls that change something. Unknown keys are ignored, as CycleCloud does. */

const nodeSetSchema = z.object({
  nodearray: z.string(),
  count: z.int().min(1),
  definition: z.object({ machineType: z.string().optional() }).optional(),
  placementGroupId: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .optional(),
  nameFormat: z
    .string()
    .regex(/^[^%]*%d[^%]*$/, { error: 'expected one "%d"' })
    .optional(),
  nameOffset: z.int().min(0).optional(),
  nodeAttributes: z.record(z.string(), z.unknown()).optional(),
});

export const creationSchema = z.object({
  requestId: z.string().min(1).optional(),
  sets: z.array(nodeSetSchema).min(1),
});

const names = z.array(z.string()).optional();

export const managementSchema = z
  .object({
    requestId: z.string().min(1).optional(),
    names,
    ids: names,
    hostnames: names,
    ip_addresses: names,
  })
  .refine(({ requestId: _, ...selection }) => Object.values(selection).some((given) => given !== undefined), {
    error: "expected names, ids, hostnames or ip_addresses",
  });

export const usageSchema = z
  .object({
    timeframe: z.enum(["monthToDate", "lastMonth", "weekToDate", "custom"]).default("monthToDate"),
    granularity: z.enum(["total", "daily", "hourly"]).default("daily"),
    from: z.string().pipe(z.coerce.date()).optional(),
    to: z.string().pipe(z.coerce.date()).optional(),
    expand: z.enum(["details"]).optional(),
  })
  .refine(({ timeframe, from, to }) => timeframe !== "custom" || (from !== undefined && to !== undefined), {
    error: "a custom timeframe needs from and to",
  });

export type NodeSet = z.output<typeof nodeSetSchema>;
export type CreationRequest = z.output<typeof creationSchema>;
export type ManagementRequest = z.output<typeof managementSchema>;
export type UsageRequest = z.output<typeof usageSchema>;
