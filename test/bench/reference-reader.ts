import { z } from "zod";

/** Only measured against: what everybody who reads JSON with a schema has to pay. It changes only with the plan's input. */
const scalar = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.object({ bytes: z.number(), magnitude: z.string() }),
]);
const text = z.string().nullable();
const jobSchema = z.object({
  name: z.string(),
  constraints: z.array(z.looseObject({ kind: z.string() })),
  iterations: z.int(),
  nodeCount: z.int(),
  colocated: z.boolean(),
  exclusive: z.boolean(),
  packingStrategy: z.enum(["pack", "scatter"]),
  executingHostnames: z.array(z.string()),
  priority: z.number(),
  submittedAtSeconds: z.number().nullable(),
  source: text,
  metadata: z.record(z.string(), z.json()),
});
const nodeSchema = z.object({
  nodeId: z.string(),
  name: z.string(),
  nodeArray: z.string(),
  vmSize: z.string(),
  placementGroup: text,
  hostname: text,
  fqdn: text,
  privateIp: text,
  instanceId: text,
  status: z.string(),
  targetState: text,
  location: z.string(),
  spot: z.boolean(),
  keepAlive: z.boolean(),
  resources: z.record(z.string(), scalar),
  softwareConfiguration: z.record(z.string(), z.json()),
});
const inputSchema = z.object({
  nowSeconds: z.number(),
  jobs: z.array(jobSchema),
  cluster: z.object({ nodeArrays: z.array(z.looseObject({ name: z.string() })), nodes: z.array(nodeSchema) }),
});

export function readAsReference(json: string): void {
  inputSchema.parse(JSON.parse(json));
}
