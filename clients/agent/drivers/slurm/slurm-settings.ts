import { z } from "zod";
import { refuseBadConstraints } from "../../../../shared/messages/index.ts";
import { program } from "../configured.ts";
import { isPlainName, plainWord } from "./config/plain-word.ts";
import { isPartitionOption, isPowerOption, optionValue } from "./partition-options.ts";

/** Constraints that a feature stands for, such as `{"node.vm_size": "Standard_HB120rs_v3"}`. */
const constraints = z.record(z.string(), z.unknown()).superRefine(refuseBadConstraints);

const partition = z
  .strictObject({
    /** CycleCloud's node array, or several of them; when it is left out, the names of its nodes say it. */
    node_array: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    /** Jobs of several nodes want them in one placement group, whether they say `--switches=1` or not. */
    colocated: z.boolean().default(false),
    /** The partition has `OverSubscribe=EXCLUSIVE`: its jobs share no node. */
    exclusive: z.boolean().default(false),
    /** Who chooses nodes: the planner, or Slurm itself, by name. */
    mode: z.enum(["planner", "power-saving"], 'expected "planner" or "power-saving"').default("planner"),
    /** Whether slurm.conf names every node that may come, or nodes register themselves. */
    nodes: z.enum(["fixed", "dynamic"], 'expected "fixed" or "dynamic"').default("fixed"),
    /** What its line in cyclecloud.conf says beside that, by Slurm's own names. */
    options: z
      .record(
        z
          .string()
          .refine(isPartitionOption, "expected an option of a partition of Slurm, other than its nodes"),
        z.string().regex(optionValue, "expected one word"),
      )
      .default({}),
  })
  .superRefine(({ mode, nodes, options }, context) => {
    if (mode === "power-saving") {
      if (nodes === "dynamic")
        context.addIssue({
          code: "custom",
          path: ["nodes"],
          input: nodes,
          message: `mode is "power-saving", which needs nodes that Slurm can name before they are there: expected "fixed", or mode "planner"`,
        });
      return;
    }
    for (const name of Object.keys(options).filter(isPowerOption))
      context.addIssue({
        code: "custom",
        path: ["options", name],
        input: options[name],
        message: `expected none while mode is "planner": the planner's nodes stay outside of power saving`,
      });
  });

/** Stands in slurm.conf as it is. */
const expectedWord = "expected letters, digits and . _ : + - only";
const word = z.string().regex(plainWord, expectedWord);

const percent = z.number().min(0).max(90).optional();
const cpus = z.enum(["threads", "cores"], 'expected "threads" or "cores"').optional();

/** Files of Slurm that follow from the cluster's node arrays. */
const config = z.strictObject({
  /** Where slurm.conf is. */
  folder: z.string().startsWith("/", "expected an absolute path"),
  /** What follows a change: Slurm reads its files again, or an administrator does the rest. */
  apply: z
    .enum(["reconfigure", "files-only"], 'expected "reconfigure" or "files-only"')
    .default("files-only"),
  default_partition: word.optional(),
  /** From one change of the files to the next, where it only follows nodes that come and go, or prices. */
  gather_seconds: z.int().min(0).max(86_400).default(600),
  /** Of a VM's memory that Slurm does not count. */
  memory_dampening_percent: percent,
  /** What Slurm counts as a CPU. */
  cpus,
  topology: z.enum(["tree", "block", "yaml"], 'expected "tree", "block" or "yaml"').optional(),
  arrays: z
    .record(
      z.string(),
      z.strictObject({
        memory_dampening_percent: percent,
        cpus,
        sockets: z.int().min(1).max(64).optional(),
        max_nodes: z.int().min(1).max(100_000).optional(),
        features: z.array(word).optional(),
        gpu_devices: z
          .string()
          .regex(/^\/dev\/[\w/.,[\]-]{1,200}$/, "expected devices such as /dev/nvidia[0-3]")
          .optional(),
      }),
    )
    .default({}),
});

/** The section `slurm` of the agent's configuration. */
export const slurmSettingsSchema = z
  .strictObject({
    /** What the driver cannot read off a partition. */
    partitions: z
      .record(z.string().refine(isPlainName, `${expectedWord}, and neither "all" nor "default"`), partition)
      .default({}),
    /** Partitions whose jobs are no demand, such as those of machines that are always there. */
    ignore_partitions: z.array(z.string().min(1)).default([]),
    /** What features (`--constraint`) mean. A feature that is not listed and names a VM size (`Standard_…`) means that size. */
    features: z.record(z.string(), constraints).default({}),
    /** Slurm calls a node by CycleCloud's name with this before it. */
    node_prefix: z.union([z.literal(""), word.max(64)]).default(""),
    config: config.optional(),
    /** Nodes of reservations are created so long before these begin. Absent: they are not ordered. */
    reservation_lead_seconds: z.int().min(0).max(86_400).optional(),
    /** Slurm's ResumeProgram and its like, on the controller's host. */
    power_program: z
      .string()
      .regex(/^\/[\w./+-]{1,300}$/, "expected an absolute path of letters, digits and . _ + - only")
      .default("/opt/ccscale/bin/wake-agent.sh"),
    squeue: program.default(["squeue"]),
    scontrol: program.default(["scontrol"]),
    sinfo: program.default(["sinfo"]),
  })
  .superRefine(({ partitions, config: { topology } = {} }, context) => {
    const dynamic = Object.entries(partitions).filter(([, { nodes }]) => nodes === "dynamic");
    const [[first] = []] = dynamic;
    if (topology !== undefined && first !== undefined)
      context.addIssue({
        code: "custom",
        path: ["config", "topology"],
        input: topology,
        message: `partitions.${first}.nodes is "dynamic": expected no topology, which names every node`,
      });
    for (const [name, own] of dynamic)
      for (const [other, { nodes, ...rest }] of Object.entries(partitions)) {
        const shared = arraysIn(name, own).find((array) => arraysIn(other, rest).includes(array));
        if (nodes === "fixed" && shared !== undefined)
          context.addIssue({
            code: "custom",
            path: ["partitions", name, "nodes"],
            input: own.nodes,
            message: `partitions.${other}.nodes is "fixed": both have node array "${shared}", expected the same`,
          });
      }
  })
  .superRefine(({ partitions, ignore_partitions }, context) => {
    // A node is brought either by the planner or by name.
    const powerSaving = Object.entries(partitions).filter(([, { mode }]) => mode === "power-saving");
    for (const [name, own] of powerSaving) {
      const path = ["partitions", name, "mode"];
      if (ignore_partitions.includes(name))
        context.addIssue({
          code: "custom",
          path,
          input: own.mode,
          message: `ignore_partitions has "${name}": expected one of the two`,
        });
      for (const [other, { mode, ...rest }] of Object.entries(partitions)) {
        const shared = arraysIn(name, own).find((array) => arraysIn(other, rest).includes(array));
        if (mode === "planner" && shared !== undefined)
          context.addIssue({
            code: "custom",
            path,
            input: own.mode,
            message: `partitions.${other}.mode is "planner": both have node array "${shared}", expected the same mode`,
          });
      }
    }
  });

function arraysIn(name: string, { node_array = name }: Pick<z.infer<typeof partition>, "node_array">) {
  return [node_array].flat();
}

/** Whether its nodes come into Slurm when their daemons register, and go when the agent deletes them. */
export function isDynamicArray(
  nodeArray: string,
  { partitions }: Pick<SlurmSettings, "partitions">,
): boolean {
  return Object.entries(partitions).some(
    ([name, own]) => own.nodes === "dynamic" && arraysIn(name, own).includes(nodeArray),
  );
}

export type SlurmSettings = z.infer<typeof slurmSettingsSchema>;
