import type { EventNode, SetAside } from "../driver.ts";
import { cycleCloudName } from "./common.ts";
import type { NodeRecord } from "./slurm-records.ts";
import { isDynamicArray, type SlurmSettings } from "./slurm-settings.ts";

/**
 * Nodes without a line in slurm.conf: slurmctld makes a record when a daemon registers, with what the daemon says of itself, and
 * keeps it when the machine is gone, also over a restart. The agent deletes it then. It makes none itself: a record of
 * `scontrol create` takes jobs before its daemon is there, and these never start (22.05).
 */

/** By the names of slurm.conf; a record keeps its features when somebody renames the machine. */
export function isDynamic(
  { name, flags, features = [] }: Pick<NodeRecord, "name" | "flags" | "features">,
  settings: SlurmSettings,
): boolean {
  const arrays = [...arrayIn(cycleCloudName(name, settings)), ...features];
  return flags.has("DYNAMIC_NORM") && arrays.some((array) => isDynamicArray(array, settings));
}

export function isDynamicNode(
  { name, nodeArray }: Pick<EventNode, "name" | "nodeArray">,
  settings: SlurmSettings,
): boolean {
  const arrays = nodeArray === undefined ? arrayIn(name) : [nodeArray];
  return arrays.some((array) => isDynamicArray(array, settings));
}

export function hasDynamicPartition(names: readonly string[], { partitions }: SlurmSettings): boolean {
  return names.some((name) => partitions[name]?.nodes === "dynamic");
}

function arrayIn(name: string): readonly string[] {
  const [, array] = /^(.+)-\d+$/.exec(name) ?? [];
  return array === undefined ? [] : [array];
}

/** A daemon that was started without `--conf`: no node set has its node. */
export function isWithoutPartition(node: NodeRecord, settings: SlurmSettings): boolean {
  return isDynamic(node, settings) && !node.partitions?.length;
}

export function withoutPartition(nodes: readonly NodeRecord[], settings: SlurmSettings): readonly SetAside[] {
  return nodes
    .filter((node) => isWithoutPartition(node, settings))
    .map(({ name }) => ({
      record: `node ${name}`,
      reason:
        "its slurmd registered without the features of its node array, and no partition has it: start slurmd with -Z and --conf",
    }));
}

const setting = 'partitions.<name>.nodes is "dynamic"';

/** `scontrol show config`: what keeps nodes from registering, or jobs from waiting for them. `lines`: nodes of slurm.conf. */
export function whyNoDynamicNodes(config: string, lines: number): string | undefined {
  const most = mostNodesIn(config);
  if (most === undefined)
    return `${setting}, and slurmctld knows no MaxNodeCount: expected Slurm 22.05 or later, or "fixed"`;
  if (most <= lines)
    return `${setting}, and MaxNodeCount is ${most}, which slurm.conf's own nodes use up: expected more, and slurmctld started again`;
  const [, enforced = "NO"] = /^EnforcePartLimits\s*= (\S+)/m.exec(config) ?? [];
  if (enforced !== "NO")
    return `${setting}, and EnforcePartLimits is ${enforced}: slurmctld would reject jobs that need more nodes than are there; expected NO`;
  return undefined;
}

/** Undefined: a release that has no such number. */
export function mostNodesIn(config: string): number | undefined {
  const [, most] = /^MaxNodeCount\s*= (\d+)/m.exec(config) ?? [];
  return most === undefined ? undefined : Number(most);
}
