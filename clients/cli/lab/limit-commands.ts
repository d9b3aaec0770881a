import { Command, InvalidArgumentError } from "commander";
import { defined } from "../../../shared/collections/defined.ts";
import { wholeNumber } from "../option-values.ts";
import type { Terminal } from "../terminal.ts";
import { quotaWords } from "./broken.ts";
import { arrayOf, change, labOptions } from "./lab-options.ts";
import type { PanelFlags } from "./panel.ts";

interface QuotaFlags extends PanelFlags {
  readonly cores?: number;
  readonly spotCores?: number;
  readonly family?: Readonly<Record<string, number>>;
  readonly region?: string;
}

export function quotaCommand(terminal: Terminal): Command {
  const command = labOptions(
    new Command("quota")
      .description("Sets quotas of the subscription, in cores: lower ones, or those that Azure granted.")
      .option(
        "--family <name=cores>",
        "of a VM family, such as standardFSv2Family=64; several times",
        familyOption,
      )
      .option("--cores <number>", "of all regular cores of the region", wholeNumber(0))
      .option("--spot-cores <number>", "of all spot cores of the region", wholeNumber(0))
      .option("--region <name>", "the region (default: the cluster's)"),
  );
  return command.action((flags: QuotaFlags) => {
    const { cores, spotCores, family, region } = flags;
    if (cores === undefined && spotCores === undefined && family === undefined)
      return command.error("error: no quota, expected at least one of --family, --cores, --spot-cores");
    return change(terminal, flags, async (panel) => {
      await panel.tell("quota", { cluster: panel.cluster, region, cores, spotCores, families: family });
      const set = Object.entries({ ...defined({ cores, spotCores }), ...family });
      return { done: set.map(([name, value]) => `${quotaWords(name)} is ${value} now.`).join(" ") };
    });
  });
}

interface LimitFlags extends PanelFlags {
  readonly maxNodes?: number;
  readonly maxCores?: number;
}

export function limitCommand(terminal: Terminal): Command {
  const command = labOptions(
    new Command("limit")
      .description(
        "Sets the limits of a node array or of the cluster, as an administrator does in CycleCloud.",
      )
      .argument("[array]", "a node array (default: the cluster)")
      .option("--max-nodes <number>", "MaxCount", wholeNumber(0))
      .option("--max-cores <number>", "MaxCoreCount", wholeNumber(0)),
  );
  return command.action((array: string | undefined, flags: LimitFlags) => {
    const { maxNodes, maxCores } = flags;
    if (maxNodes === undefined && maxCores === undefined)
      return command.error("error: no limit, expected --max-nodes or --max-cores");
    return change(terminal, flags, async (panel, cluster) => {
      if (array !== undefined) arrayOf(cluster, array);
      const limits = { maxCount: maxNodes, maxCoreCount: maxCores };
      await panel.tell("limits", { cluster: panel.cluster, nodearray: array, ...limits });
      const set = Object.entries(defined({ MaxCount: maxNodes, MaxCoreCount: maxCores })).map(
        ([limit, value]) => `${limit} of ${array ?? "the cluster"} is ${value} now.`,
      );
      return { done: set.join(" ") };
    });
  });
}

interface SizesFlags extends PanelFlags {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

export function sizesCommand(terminal: Terminal): Command {
  const command = labOptions(
    new Command("sizes")
      .description(
        "Adds VM sizes to a node array or takes them away, as an administrator does in CycleCloud.",
      )
      .argument("<array>", "a node array")
      .option("--add <sizes>", "such as Standard_D8as_v5", sizeNames)
      .option("--remove <sizes>", "sizes that no node has", sizeNames),
  );
  return command.action((name: string, flags: SizesFlags) => {
    const { add = [], remove = [] } = flags;
    if (add.length + remove.length === 0) return command.error("error: no size, expected --add or --remove");
    return change(terminal, flags, async (panel, cluster) => {
      const { machineTypes } = arrayOf(cluster, name);
      const now = [...new Set([...machineTypes, ...add])].filter((size) => !remove.includes(size));
      await panel.tell("sizes", { cluster: panel.cluster, nodearray: name, machineTypes: now });
      return { done: `${name} has ${now.join(", ")} now. The next snapshot shows it.` };
    });
  });
}

function sizeNames(text: string, before: readonly string[] = []): readonly string[] {
  return [
    ...before,
    ...text.split(",").map((size) => (size.startsWith("Standard_") ? size : `Standard_${size}`)),
  ];
}

function familyOption(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const [, name, cores] = /^(\w+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError(`"${text}", expected such as standardFSv2Family=64.`);
  return { ...before, [name]: Number(cores) };
}
