import { z } from "zod";

/** Identifies the simulator, so that no other server is mistaken for it. */
const simulator = z.literal("cyclecloud-autoscale");

const count = z.int().min(0);

const weather = z.object({
  nodeArray: z.string(),
  machineType: z.string(),
  drought: z.enum(["refuse", "fail"]).optional(),
  stuck: z.enum(["Acquiring", "Preparing"]).optional(),
  failingBoots: z
    .object({ next: count.optional(), share: z.number().optional(), message: z.string() })
    .optional(),
  bootFactor: z.number().optional(),
});

const schedulerJob = z.object({
  name: z.string(),
  waiting: count,
  running: count,
  done: count,
  /** How often a task lost its node. */
  lost: count,
});

const scheduler = z.object({
  isSilent: z.boolean(),
  report: z
    .object({
      source: z.string(),
      progress: z.object({ total: count, waiting: count, running: count, done: count, later: count }),
      /** The jobs that were submitted through the panel, in tasks. */
      jobs: z.array(schedulerJob),
    })
    .nullable(),
  agoSeconds: z.number().nullable(),
  openOrders: count,
});

const cluster = z.object({
  name: z.string(),
  weather: z.array(weather),
  limits: z.array(
    z.object({
      nodeArray: z.string().nullable(),
      limit: z.enum(["maxCount", "maxCoreCount"]),
      was: count,
      is: count,
    }),
  ),
  quotas: z.array(z.object({ region: z.string(), quota: z.string(), was: count, is: count })),
  sizes: z.array(
    z.object({ nodeArray: z.string(), added: z.array(z.string()), removed: z.array(z.string()) }),
  ),
  evictions: z.array(z.object({ nodeArray: z.string(), was: z.number(), is: z.number() })),
  nodeArrays: z.array(
    z.object({
      name: z.string(),
      isSpot: z.boolean(),
      machineTypes: z.array(z.string()),
      maxCount: count,
      maxCoreCount: count,
    }),
  ),
  nodes: z.array(
    z.object({
      name: z.string(),
      nodeArray: z.string(),
      machineType: z.string(),
      isSpot: z.boolean(),
      status: z.string(),
    }),
  ),
  scheduler,
});

/** `GET /_control/state` of the simulator: what its control panel has changed, and what it can change. */
export const panelState = z.object({
  simulator,
  /** Simulated seconds per real second; null: its clock is moved by hand. */
  speed: z.number().nullable(),
  outage: z
    .object({
      kind: z.enum(["unavailable", "login", "slow"]),
      leftSeconds: z.number(),
      delaySeconds: z.number(),
    })
    .nullable(),
  faults: count,
  latencyMilliseconds: z.number(),
  clusters: z.array(cluster),
});

export type PanelState = z.output<typeof panelState>;
export type PanelCluster = z.output<typeof cluster>;
export type PanelNodeArray = PanelCluster["nodeArrays"][number];
export type PanelNode = PanelCluster["nodes"][number];
export type SchedulerJob = z.output<typeof schedulerJob>;
