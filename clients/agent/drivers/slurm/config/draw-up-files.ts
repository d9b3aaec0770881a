import type { ClusterParts, DrawnUpFiles, SchedulerFile } from "../../driver.ts";
import { exemptLine } from "../exempt-nodes.ts";
import { optionsWith } from "../partition-options.ts";
import { isPowerSavingPartition } from "../power-saving.ts";
import { isDynamicArray, type SlurmSettings } from "../slurm-settings.ts";
import {
  type Bucket,
  type ExistingNode,
  gresOf,
  heading,
  kindOfLine,
  type NodeKind,
  namesInLineOf,
  namesOf,
  nodeKindOf,
} from "./node-kind.ts";
import { canWait, lastValueIn, mainFile, nodesInFiles, settingsFile } from "./node-lines.ts";
import { isPlainName } from "./plain-word.ts";
import { topologyFile } from "./topology.ts";

/** What a controller says. */
interface Controller {
  /** 2205 for 22.05. */
  readonly release?: number | undefined;
  /** Its SlurmctldParameters, wherever they stand. */
  readonly parameters?: string | undefined;
}

/** Every file that there may be. */
export const fileNames = [mainFile, "gres.conf", "topology.conf", "topology.yaml"];

/**
 * slurm.conf's part about nodes and partitions, which it includes, and the files beside it. `present`: those that are there
 * and ours, and slurm.conf. `controller`: as far as it is known. Refused where what is there would be lost, or become another thing, because something is not known.
 */
export function drawUpFiles(
  cluster: ClusterParts,
  settings: SlurmSettings,
  present: readonly SchedulerFile[] = [],
  controller: Controller = {},
): DrawnUpFiles | { readonly refused: string } {
  const { buckets, unread } = cluster;
  const nodes = nodesWithLines(cluster, settings, present);
  const [firstUnread] = unread;
  if (firstUnread !== undefined)
    return {
      refused: `not all of the cluster is known, ${unread.length} records are missing. ${firstUnread}`,
    };
  if (buckets.length === 0)
    return { refused: "the cluster has no node array: none is known yet, or none is left" };
  const notes: string[] = [];
  const kinds: NodeKind[] = [];
  for (const nodeArray of new Set(buckets.map((bucket) => bucket.nodeArray))) {
    if (settings.ignore_partitions.includes(partitionOf(nodeArray, settings)[0] ?? "")) continue;
    const isName = isPlainName(nodeArray) && partitionOf(nodeArray, settings).every(isPlainName);
    const kind = isName ? nodeKindOf(nodeArray, { buckets, nodes }, settings) : undefined;
    if (kind === undefined) {
      const own = buckets.filter((bucket) => bucket.nodeArray === nodeArray);
      notes.push(
        `node array ${JSON.stringify(nodeArray)} is left out: ${isName ? whyNone(own) : "Slurm takes no such name"}`,
      );
    } else if ("refused" in kind) return kind;
    else kinds.push(kind);
  }
  const lines = nodesInFiles(present);
  const removed = nodes.filter((node) => !buckets.some(({ nodeArray }) => nodeArray === node.nodeArray));
  for (const [nodeArray, own] of Map.groupBy(removed, (node) => node.nodeArray)) {
    const line = lines.get(`${settings.node_prefix}${own[0]?.name}`);
    if (line === undefined) continue;
    kinds.push(kindOfLine(nodeArray, own, line));
    notes.push(
      `node array ${nodeArray} is not in the cluster any more: its ${own.length} nodes that are there keep their lines`,
    );
  }
  for (const { nodeArray, vmSizes, cpus, memoryMb } of kinds)
    if (vmSizes.length > 1)
      notes.push(
        `node array ${nodeArray} has ${vmSizes.length} sizes: Slurm counts each node as ${cpus} CPUs and ${memoryMb} MB, the least of them. Give sizes that differ arrays of their own, in one partition`,
      );
  const ambiguous = whyAmbiguous(kinds, settings);
  if (ambiguous !== undefined) return { refused: ambiguous };
  const saving = new Set(kinds.map(({ nodeArray }) => nodeArray).filter((each) => isSaving(each, settings)));
  const ofSaving = nodes.filter(({ nodeArray }) => saving.has(nodeArray));
  const exempt = exemptLine(ofSaving, present, controller.release, settings);
  const topology = topologyFile(kinds, nodes, settings);
  const gres = gresFile(kinds, settings);
  const files = [
    {
      name: mainFile,
      text: mainText(kinds, settings, notes, { exempt, parameters: parametersWith(present, controller) }),
    },
    ...(gres === undefined ? [] : [gres]),
    ...(topology === undefined ? [] : [topology]),
  ];
  return { files, notes: [...notes, ...missingIn(present)], canWait: canWait(present, files) };
}

/** What only slurm.conf can say. Nothing where it is not known, or where another file that it includes may say it. */
function missingIn(present: readonly SchedulerFile[]): readonly string[] {
  const text = present.find(({ name }) => name === settingsFile)?.text;
  const included = includesIn(text ?? "").map((path) => path.split("/").at(-1));
  if (text === undefined || included.some((name) => name !== mainFile)) return [];
  return [
    ...(included.length === 0
      ? [`${settingsFile} does not include ${mainFile}: put "include ${mainFile}" at its end`]
      : []),
    ...(lastValueIn(present, settingsFile, "SelectType") === undefined
      ? [
          `${settingsFile} has no SelectType: before Slurm 23.02 each job then gets whole nodes. Add SelectType=select/cons_tres and SelectTypeParameters=CR_Core_Memory, so that jobs share them`,
        ]
      : []),
  ];
}

/**
 * Nodes of arrays that new ones may come from, and those that have a line: an array that was switched off keeps the lines
 * of its nodes, and one that never was Slurm's, such as the nodes that people log in to, gets none.
 */
function nodesWithLines(
  { buckets, nodes }: ClusterParts,
  settings: SlurmSettings,
  present: readonly SchedulerFile[],
): readonly ExistingNode[] {
  const growing = new Set(
    buckets.filter(({ enabled, valid }) => enabled && valid).map(({ nodeArray }) => nodeArray),
  );
  const named = nodesInFiles(present);
  return nodes.filter(
    ({ name, nodeArray }) =>
      growing.has(nodeArray) ||
      isDynamicArray(nodeArray, settings) ||
      named.has(`${settings.node_prefix}${name}`),
  );
}

/** A node set has all nodes with the name of its array as a feature. */
function whyAmbiguous(kinds: readonly NodeKind[], settings: SlurmSettings): string | undefined {
  for (const { nodeArray } of kinds.filter((kind) => isDynamicArray(kind.nodeArray, settings))) {
    const other = kinds.find((kind) => kind.nodeArray !== nodeArray && kind.features.includes(nodeArray));
    if (other !== undefined)
      return `node array ${other.nodeArray} has the feature "${nodeArray}", by which Slurm finds the nodes of array ${nodeArray}: expected another name, or fixed nodes`;
  }
  return undefined;
}

function whyNone(buckets: readonly Bucket[]): string {
  return buckets.some(({ enabled, valid }) => enabled && valid)
    ? "its limits allow no node"
    : "it is switched off, or has no valid VM size";
}

/** The partitions whose settings name the array; else one of its own name. */
function partitionOf(nodeArray: string, { partitions }: SlurmSettings): readonly string[] {
  const named = Object.entries(partitions)
    .filter(([name, { node_array = name }]) => [node_array].flat().includes(nodeArray))
    .map(([name]) => name);
  return named.length === 0 ? [nodeArray] : named;
}

type Keys = readonly (readonly [why: string, ...lines: readonly string[]])[];

const withoutPowerSaving: Keys = [
  [
    "The autoscaler chooses which nodes come and go. Slurm's own power saving, which would ask for nodes by name, stays off.",
    "SuspendTime=-1",
  ],
  [
    "Slurm takes nodes in state CLOUD only where both programs are named.",
    "ResumeProgram=/bin/true",
    "SuspendProgram=/bin/true",
  ],
];

/** What power saving needs that slurm.conf may have a part of. */
interface PowerLines {
  /** Nodes that are kept alive. */
  readonly exempt: string | undefined;
  readonly parameters: string;
}

/** The last of two lines counts: with what slurm.conf says, or a file that it includes. Where that is not known, no line drops it. */
function parametersWith(present: readonly SchedulerFile[], controller: Controller): string {
  const key = "SlurmctldParameters";
  const text = present.find(({ name }) => name === settingsFile)?.text;
  const isAlone = text !== undefined && includesIn(text).every((path) => path.split("/").at(-1) === mainFile);
  const theirs =
    lastValueIn(present, settingsFile, key) ??
    controller.parameters ??
    lastValueIn(present, mainFile, key) ??
    (isAlone ? "" : undefined);
  if (theirs === undefined)
    return `# Not known here is what slurm.conf says of ${key}: add cloud_reg_addrs there.`;
  const values = theirs === "(null)" ? [] : theirs.split(",").filter(Boolean);
  return `${key}=${[...new Set([...values, "cloud_reg_addrs"])].join(",")}`;
}

function includesIn(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]*include[ \t]+(\S+)/gim)].map(([, path = ""]) => path);
}

function withPowerSaving(
  { power_program: program }: SlurmSettings,
  { exempt, parameters }: PowerLines,
): Keys {
  return [
    [
      "The autoscaler chooses which nodes come and go, but for partitions that have a SuspendTime of their own: their nodes Slurm asks for by name.",
      "SuspendTime=-1",
    ],
    [
      "It wakes the autoscaler's agent, which has what Slurm powers up created, and deletes what it powers down.",
      `ResumeProgram=${program}`,
      `SuspendProgram=${program}`,
      `ResumeFailProgram=${program}`,
    ],
    [
      "A node has its address as soon as it registers: Slurm starts jobs at once, and loses a launch to a node whose address it does not know yet.",
      parameters,
    ],
    ...(exempt === undefined
      ? []
      : [["Nodes that are kept alive, beside what slurm.conf names.", exempt] as const]),
  ];
}

/** Of a partition whose nodes Slurm asks for, in seconds. */
const powerTimes = [
  ["SuspendTime", "300"],
  ["ResumeTimeout", "1800"],
  ["SuspendTimeout", "600"],
] as const;

/** Why each key is needed stands with it: the reader of the file has no other page at hand. */
const otherKeys: Keys = [
  ["People see cloud nodes that are not there, too.", "PrivateData=cloud"],
  [
    "A node comes into service when the agent has given it its address. With 2 it takes jobs before, under a name that resolves to nothing.",
    "ReturnToService=1",
  ],
  ["A name comes again with another address.", "CommunicationParameters=NoAddrCache"],
  [
    "Nodes do not know each other's addresses: slurmctld calls each itself, and none on behalf of others.",
    "TreeWidth=65533",
  ],
];

function isSaving(nodeArray: string, settings: SlurmSettings): boolean {
  return partitionOf(nodeArray, settings).some((name) => isPowerSavingPartition(name, settings));
}

function mainText(
  kinds: readonly NodeKind[],
  settings: SlurmSettings,
  notes: readonly string[],
  power: PowerLines,
): string {
  const powerKeys = kinds.some(({ nodeArray }) => isSaving(nodeArray, settings))
    ? withPowerSaving(settings, power)
    : withoutPowerSaving;
  const lines = [
    heading,
    ...notes.map((note) => `# Note: ${note}.`),
    ...[...powerKeys, ...otherKeys].flatMap(([why, ...keys]) => ["", `# ${why}`, ...keys]),
  ];
  if (kinds.some(({ gpus }) => gpus > 0))
    lines.push("", "# Jobs ask for GPUs with --gres=gpu or --gpus.", "GresTypes=gpu");
  if (settings.config?.topology !== undefined)
    lines.push(
      "",
      "# Placement groups of the nodes that are there, for --switches.",
      ...(settings.config.topology === "yaml" ? [] : [`TopologyPlugin=topology/${settings.config.topology}`]),
    );
  const dynamic = kinds.filter(({ nodeArray }) => isDynamicArray(nodeArray, settings));
  if (dynamic.length > 0)
    lines.push(
      "",
      "# Nodes of these arrays have no line: each registers itself, with what stands in the line of the node 0 of its array. That one never comes: Slurm knows from it what jobs can ask for.",
      ...dynamic.map(({ nodeArray }) => `NodeSet=${nodeArray} Feature=${nodeArray}`),
      "",
      "# More than the limits allow now: slurmctld takes another number only when it starts.",
      `MaxNodeCount=${mostRecords(kinds)}`,
    );
  lines.push(
    "",
    "# The cheapest nodes that hold a job are taken first: Weight is the rank of the price, so that only another order changes it.",
  );
  const prices = [...new Set(kinds.flatMap((kind) => tenthsOfCent(kind) ?? []))].toSorted((a, b) => a - b);
  for (const kind of kinds) {
    const price = tenthsOfCent(kind);
    // Without a price a node comes last.
    const rank = price === undefined ? prices.length : prices.indexOf(price);
    lines.push(nodeLine(kind, rank + 1, settings));
  }
  lines.push("", ...partitionLines(kinds, settings));
  return `${lines.join("\n")}\n`;
}

const leastRecords = 1024;

/** A power of two, so that most changes of the limits leave it as it is. */
function mostRecords(kinds: readonly NodeKind[]): number {
  const most = kinds.reduce((sum, { count, otherNames }) => sum + 1 + count + otherNames.length, 0);
  return Math.max(leastRecords, 2 ** Math.ceil(Math.log2(2 * most)));
}

/** What differs by less is the same price. */
function tenthsOfCent({ usdPerHour }: NodeKind): number | undefined {
  return usdPerHour === null ? undefined : Math.round(usdPerHour * 1000);
}

function nodeLine(kind: NodeKind, weight: number, settings: SlurmSettings): string {
  return [
    `NodeName=${namesInLineOf(kind, settings)}`,
    `CPUs=${kind.cpus}`,
    `Sockets=${kind.sockets}`,
    `CoresPerSocket=${kind.coresPerSocket}`,
    `ThreadsPerCore=${kind.threadsPerCore}`,
    `RealMemory=${kind.memoryMb}`,
    ...(kind.gpus === 0 ? [] : [`Gres=${gresOf(kind.gpus)}`]),
    `Weight=${weight}`,
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
      `Nodes=${own.map((kind) => (isDynamicArray(kind.nodeArray, settings) ? kind.nodeArray : namesOf(kind, settings))).join(",")}`,
      `Default=${name === (wanted ?? first) ? "YES" : "NO"}`,
      ...optionsWith(
        [
          // Without it a job that asks for no memory gets all of a node.
          ["DefMemPerCPU", String(Math.min(...own.map(({ memoryMb, cpus }) => Math.floor(memoryMb / cpus))))],
          ...(settings.partitions[name]?.exclusive === true ? [["OverSubscribe", "EXCLUSIVE"] as const] : []),
          ["MaxTime", "INFINITE"],
          ["State", "UP"],
          ...(isPowerSavingPartition(name, settings) ? powerTimes : []),
        ],
        settings.partitions[name]?.options ?? {},
      ),
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
