import { z } from "zod";
import { defined } from "../../../../shared/collections/defined.ts";
import type { Memory } from "../driver.ts";
import type { JobContext } from "./job-context.ts";
import type { Gone, JoinedNodes, Joining } from "./slurm-nodes.ts";

/** Nodes by Slurm's names that one pass tells the next about. */
interface RememberedNodes {
  readonly joining: Joining;
  readonly joined: JoinedNodes;
  readonly gone: Gone;
}

const nodesSchema = z.object({
  joining: z
    .record(
      z.string(),
      z.union([
        // An agent of before remembered the host alone.
        z.string(),
        z.object({ hostname: z.string(), sinceSeconds: z.number(), heldReason: z.string().optional() }),
      ]),
    )
    .catch({}),
  joined: z.record(z.string(), z.object({ nodeId: z.string().optional(), hostname: z.string() })).catch({}),
  gone: z
    .record(
      z.string(),
      z.union([
        z.string(),
        z.object({ nodeId: z.string().optional(), hostname: z.string(), atSeconds: z.number() }),
      ]),
    )
    .catch({}),
});

/** What cannot be read counts as nothing. */
export function rememberedNodes(memory: Memory, nowSeconds: number): RememberedNodes {
  const { joining, joined, gone } = nodesSchema.parse(memory);
  const since = (host: (typeof joining)[string]) =>
    typeof host === "string" ? { hostname: host, sinceSeconds: nowSeconds } : host;
  const at = (machine: (typeof gone)[string]) =>
    typeof machine === "string" ? { hostname: machine, atSeconds: nowSeconds } : machine;
  return {
    joining: new Map(Object.entries(joining).map(([name, host]) => [name, since(host)])),
    joined: new Map(Object.entries(joined)),
    gone: new Map(Object.entries(gone).map(([name, machine]) => [name, at(machine)])),
  };
}

/** The memory with these nodes in place of those that it had. Kinds of which there is none are left out: it is written in each pass. */
export function withNodes(memory: Memory, { joining, joined, gone }: RememberedNodes): Memory {
  const unlessNone = (nodes: ReadonlyMap<string, unknown>) =>
    nodes.size === 0 ? undefined : Object.fromEntries(nodes);
  const nodes = { joining: unlessNone(joining), joined: unlessNone(joined), gone: unlessNone(gone) };
  return defined({ ...memory, ...nodes });
}

const limitsSchema = z.object({
  enforced: z.boolean(),
  /** MaxNodeCount. */
  mostNodes: z.number().optional(),
  preempts: z.boolean().optional(),
  counting: z
    .object({
      isOfMemory: z.boolean(),
      isForAll: z.boolean().optional(),
      by: z.enum(["core", "socket", "node"]),
      memoryPerCpu: z.number().optional(),
    })
    .optional(),
  atSeconds: z.number(),
});

export function rememberedLimits({ limits }: Memory) {
  return limitsSchema.safeParse(limits).data;
}

const clearingSchema = z.record(z.string(), z.number());

export function rememberedClearing({ clearing }: Memory): JobContext["clearingSince"] {
  const remembered = Object.entries(clearingSchema.safeParse(clearing).data ?? {});
  return new Map(remembered.map(([id, atSeconds]) => [Number(id), atSeconds]));
}
