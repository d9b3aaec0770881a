import { z } from "zod";
import { program } from "../configured.ts";

const resourceName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "expected the name of a resource");

/** Behind `resources_available.NAME = `; nothing that qmgr could take for a second attribute. */
const resourceValue = z.union([
  z.number().min(0),
  z.boolean(),
  z.string().regex(/^[\w.:/@-]{1,256}$/, "expected letters, digits and . _ : / @ -"),
]);

const nodeArray = z.strictObject({
  /** What nodes of the array get when they join, and count as before. What is left out is as the node daemon reports it. */
  resources: z.record(resourceName, resourceValue).default({}),
});

const queue = z.strictObject({
  /** CycleCloud's node arrays that its jobs may use; when it is left out, all. */
  node_array: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  /** Whether jobs of several nodes want one placement group; when it is left out, PBS's own settings say it. */
  colocated: z.boolean().optional(),
});

/** Resources of PBS that are a property of the node in CycleCloud. */
const properties = z.record(
  resourceName,
  z.enum(["node.nodearray", "node.vm_size", "node.placement_group", "ungrouped"]),
);

/** The section `pbs` of the agent's configuration. */
export const pbsSettingsSchema = z.strictObject({
  node_arrays: z.record(z.string().min(1), nodeArray).default({}),
  queues: z.record(z.string().min(1), queue).default({}),
  /** Queues whose jobs are no demand. */
  ignore_queues: z.array(z.string().min(1)).default([]),
  /** Hosts that are always there: not reported, never touched. Patterns with `*` and `?`. */
  ignore_hosts: z.array(z.string().min(1)).default([]),
  properties: properties.default({
    nodearray: "node.nodearray",
    slot_type: "node.nodearray",
    machinetype: "node.vm_size",
    vm_size: "node.vm_size",
    group_id: "node.placement_group",
    ungrouped: "ungrouped",
  }),
  /** Resources that the driver never sets on a node. */
  read_only_resources: z.array(z.string()).default(["host", "vnode"]),
  /** A host that is down for so long, and has no jobs, is taken offline and given up. */
  down_seconds: z.int().min(60).max(86_400).default(300),
  /** Where its line `resources:` is. */
  sched_config: z.string().min(1).default("/var/spool/pbs/sched_priv/sched_config"),
  qstat: program.default(["qstat"]),
  pbsnodes: program.default(["pbsnodes"]),
  qmgr: program.default(["qmgr"]),
  pbs_rstat: program.default(["pbs_rstat"]),
});

export type PbsSettings = z.infer<typeof pbsSettingsSchema>;
