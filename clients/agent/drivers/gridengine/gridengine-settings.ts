import { z } from "zod";
import { program } from "../configured.ts";

const queueName = z.string().regex(/^[A-Za-z0-9_][\w.-]*$/, 'expected the name of a queue, such as "all.q"');
const hostGroup = z.string().regex(/^@[\w.-]+$/, 'expected the name of a host group, such as "@allhosts"');
const complexName = z.string().regex(/^[A-Za-z_][\w.-]*$/, 'expected the name of a complex, such as "gpus"');
/** A comma or a blank would begin the next value. */
const complexValue = z.union([
  z.number().min(0),
  z.boolean(),
  z.string().regex(/^[^\s,=]{1,200}$/, "expected a value without blanks and commas"),
]);
const slots = z.int().min(1).max(1_000_000);

const nodeArray = z.strictObject({
  /** Its nodes join these. */
  host_groups: z.array(hostGroup).default(["@allhosts"]),
  /** Cluster queues that have instances on its nodes; absent: those of its host groups. */
  queues: z.array(queueName).min(1).optional(),
  /** Of each node, in every queue or by queue; absent: what the queue says of other hosts, or of the host group. */
  slots: z.union([slots, z.record(queueName, slots)]).optional(),
  /** What is set on its nodes when they join, such as `{"gpus": 2, "exclusive": true}`. */
  complex_values: z.record(complexName, complexValue).default({}),
});

const parallelEnvironment = z.strictObject({
  /** Its jobs want their nodes in one placement group. */
  colocated: z.boolean().default(false),
});

/** The section `gridengine` of the agent's configuration. */
export const gridengineSettingsSchema = z.strictObject({
  /** By CycleCloud's name of it. The order is a preference, where a job may use several. */
  node_arrays: z
    .record(z.string().min(1), nodeArray)
    .refine((arrays) => Object.keys(arrays).length > 0, "expected one node array at least"),
  parallel_environments: z.record(z.string().min(1), parallelEnvironment).default({}),
  /** Cluster queues whose jobs are no demand, such as those of machines that are always there. */
  ignore_queues: z.array(queueName).default([]),
  qstat: program.default(["qstat"]),
  qconf: program.default(["qconf"]),
  qmod: program.default(["qmod"]),
});

export type GridengineSettings = z.infer<typeof gridengineSettingsSchema>;
export type NodeArraySettings = GridengineSettings["node_arrays"][string];
