import type { ClusterParts, DrawnUpFiles } from "../../driver.ts";
import type { SlurmSettings } from "../slurm-settings.ts";
import { gresOf, heading, type NodeKind, namesOf, nodeKindOf } from "./node-kind.ts";
import { topologyFile } from "./topology.ts";

const mainFile = "cyclecloud.conf";

/** Every file that there may be. */
export const fileNames = [mainFile, "gres.conf", "topology.conf", "topology.yaml"];

/** A name that stands in slurm.conf as it is. */
const plainName = /^(?!all$)[\w.-]{1,64}$/i;

/** slurm.conf's part about nodes and partitions, which it includes, and the files beside it. */
export function drawUpFiles(
  { buckets, nodes }: ClusterParts,
  settings: SlurmSettings,
): Pick<DrawnUpFiles, "files" | "notes"> {
  const notes: string[] = [];
  const kinds = [...Map.groupBy(buckets, ({ nodeArray }) => nodeArray)].flatMap(([nodeArray, own]) => {
    if (settings.ignore_partitions.includes(partitionOf(nodeArray, settings)[0] ?? "")) return [];
    const kind = plainName.test(nodeArray) ? nodeKindOf(own, nodes, settings) : undefined;
    if (kind === undefined || kind.count === 0) {
      notes.push(`node array ${JSON.stringify(nodeArray)} is left out: ${whyNot(nodeArray, kind)}`);
      return [];
    }
    if (kind.vmSizes.length > 1)
      notes.push(
        `node array ${nodeArray} has ${kind.vmSizes.length} sizes: Slurm counts each node as ${kind.cpus} CPUs and ${kind.memoryMb} MB, the least of them. Give sizes that differ arrays of their own, in one partition`,
      );
    return [kind];
  });
  const topology = topologyFile(kinds, nodes, settings);
  const gres = gresFile(kinds, settings);
  return {
    files: [
      { name: mainFile, text: mainText(kinds, settings, notes) },
      ...(gres === undefined ? [] : [gres]),
      ...(topology === undefined ? [] : [topology]),
    ],
    notes,
  };
}

function whyNot(nodeArray: string, kind: NodeKind | undefined): string {
  if (!plainName.test(nodeArray)) return "Slurm takes no such name";
  return kind === undefined ? "it is switched off, or has no valid VM size" : "its limits allow no node";
}

/** The partitions whose settings name the array; else one of its own name. */
function partitionOf(nodeArray: string, { partitions }: SlurmSettings): readonly string[] {
  const named = Object.entries(partitions)
    .filter(([name, { node_array = name }]) => [node_array].flat().includes(nodeArray))
    .map(([name]) => name);
  return named.length === 0 ? [nodeArray] : named;
}

/** Why each key is needed stands with it: the reader of the file has no other page at hand. */
const planKeys: readonly (readonly [why: string, ...lines: readonly string[]])[] = [
  [
    "The autoscaler chooses which nodes come and go. Slurm's own power saving, which would ask for nodes by name, stays off.",
    "SuspendTime=-1",
  ],
  [
    "Slurm takes nodes in state CLOUD only where both programs are named.",
    "ResumeProgram=/bin/true",
    "SuspendProgram=/bin/true",
  ],
  ["People see cloud nodes that are not there, too.", "PrivateData=cloud"],
  [
    "A node comes into service when the agent has given it its address. With 2 it takes jobs before, under a name that resolves to nothing.",
    "ReturnToService=1",
  ],
  ["A name comes again with another address.", "CommunicationParameters=NoAddrCache"],
];

function mainText(kinds: readonly NodeKind[], settings: SlurmSettings, notes: readonly string[]): string {
  const lines = [
    heading,
    ...notes.map((note) => `# Note: ${note}.`),
    ...planKeys.flatMap(([why, ...keys]) => ["", `# ${why}`, ...keys]),
  ];
  if (kinds.some(({ gpus }) => gpus > 0))
    lines.push("", "# Jobs ask for GPUs with --gres=gpu or --gpus.", "GresTypes=gpu");
  if (settings.config?.topology !== undefined)
    lines.push(
      "",
      "# Placement groups of the nodes that are there, for --switches.",
      ...(settings.config.topology === "yaml" ? [] : [`TopologyPlugin=topology/${settings.config.topology}`]),
    );
  lines.push(
    "",
    "# The cheapest nodes that hold a job are taken first: Weight is the price in tenths of a cent an hour.",
  );
  const dearest = Math.max(0, ...kinds.map(weightOf).filter(Number.isFinite));
  for (const kind of kinds) lines.push(nodeLine(kind, dearest + 1, settings));
  lines.push("", ...partitionLines(kinds, settings));
  return `${lines.join("\n")}\n`;
}

function weightOf({ usdPerHour }: NodeKind): number {
  return usdPerHour === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(usdPerHour * 1000));
}

/** Without a price a node comes last. */
function nodeLine(kind: NodeKind, lastWeight: number, settings: SlurmSettings): string {
  return [
    `NodeName=${namesOf(kind, settings)}`,
    `CPUs=${kind.cpus}`,
    `Sockets=${kind.sockets}`,
    `CoresPerSocket=${kind.coresPerSocket}`,
    `ThreadsPerCore=${kind.threadsPerCore}`,
    `RealMemory=${kind.memoryMb}`,
    ...(kind.gpus === 0 ? [] : [`Gres=${gresOf(kind.gpus)}`]),
    `Weight=${Math.min(weightOf(kind), lastWeight)}`,
    `Feature=${kind.features.join(",")}`,
    "State=CLOUD",
  ].join(" ");
}

function partitionLines(kinds: readonly NodeKind[], settings: SlurmSettings): readonly string[] {
  const byPartition = new Map<string, NodeKind[]>();
  for (const kind of kinds)
    for (const name of partitionOf(kind.nodeArray, settings))
      byPartition.set(name, [...(byPartition.get(name) ?? []), kind]);
  const wanted = settings.config?.default_partition;
  const [first] = byPartition.keys();
  return [...byPartition].map(([name, own]) =>
    [
      `PartitionName=${name}`,
      `Nodes=${own.map((kind) => namesOf(kind, settings)).join(",")}`,
      `Default=${name === (wanted ?? first) ? "YES" : "NO"}`,
      // Without it a job that asks for no memory gets all of a node.
      `DefMemPerCPU=${Math.min(...own.map(({ memoryMb, cpus }) => Math.floor(memoryMb / cpus)))}`,
      ...(settings.partitions[name]?.exclusive === true ? ["OverSubscribe=EXCLUSIVE"] : []),
      "MaxTime=INFINITE",
      "State=UP",
    ].join(" "),
  );
}

function gresFile(kinds: readonly NodeKind[], settings: SlurmSettings) {
  const lines = kinds
    .filter(({ gpus }) => gpus > 0)
    .map((kind) => {
      const usual = kind.gpus === 1 ? "/dev/nvidia0" : `/dev/nvidia[0-${kind.gpus - 1}]`;
      const devices = settings.config?.arrays[kind.nodeArray]?.gpu_devices ?? usual;
      return `NodeName=${namesOf(kind, settings)} Name=gpu Count=${kind.gpus} File=${devices}`;
    });
  return lines.length === 0 ? undefined : { name: "gres.conf", text: `${[heading, ...lines].join("\n")}\n` };
}
