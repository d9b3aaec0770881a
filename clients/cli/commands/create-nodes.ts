import { Command, InvalidArgumentError, Option } from "commander";
import { isDictionary, jsonOr } from "../../../shared/json/json.ts";
import { expandHostlist } from "../../agent/drivers/slurm/hostlist.ts";
import { act } from "../act/act.ts";
import { type ActFlags, actOptions } from "../act/act-options.ts";
import { wholeNumber } from "../option-values.ts";
import { type ConstraintObject, constraint } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends ActFlags {
  readonly nodearray?: string;
  readonly vmSize?: string;
  readonly placementGroup?: string;
  readonly count?: number;
  readonly slots?: number;
  readonly names?: readonly string[];
  readonly constraint?: readonly ConstraintObject[];
  readonly exclusive?: true;
  readonly exclusiveTask?: true;
  readonly strategy?: string;
  readonly keepAlive?: true;
  readonly nameFormat?: string;
  readonly attribute?: Readonly<Record<string, unknown>>;
  readonly softwareConfiguration?: Readonly<Record<string, unknown>>;
}

export function createNodesCommand(terminal: Terminal): Command {
  const command: Command = new Command("create-nodes")
    .description(
      "Creates nodes, all of them or none, within all limits. The planner chooses what you leave open.",
    )
    .option("-n, --count <number>", "number of nodes", wholeNumber(1))
    .option("-s, --slots <number>", "as many nodes as this number of slots needs", wholeNumber(1))
    .option("--names <names>", "nodes of exactly these names, such as htc-[3,7-9]; needs --nodearray", names)
    .option("-a, --nodearray <name>", "node array")
    .option("--vm-size <size>", "VM size")
    .option("--placement-group <name>", "placement group")
    .option(
      "-C, --constraint <expression>",
      "what each node or slot needs, such as 'memgb=64' or JSON",
      constraint,
    )
    .option("--exclusive", "one slot per node")
    // The spelling of azpbs and azge; here it is an ordinary constraint.
    .addOption(new Option("-X, --exclusive-task").hideHelp())
    .addOption(
      new Option(
        "--strategy <strategy>",
        "pack (default): full nodes, from as many buckets as needed; scatter: a node for each slot, all from one bucket or none",
      ).choices(["pack", "scatter"]),
    )
    .option("--keep-alive", "only an operator may delete them")
    .option("--name-format <format>", "name with %d for the index, such as login-%d")
    .option("--attribute <name=value>", "attribute for CycleCloud; can be repeated", pair)
    .option(
      "--software-configuration <name=value>",
      "value for the nodes' Configuration, such as slurm.autoscale=true; can be repeated",
      pair,
    )
    .action((flags: Flags) => {
      const { count, slots, names } = flags;
      if ([count, slots, names].filter((each) => each !== undefined).length !== 1)
        return command.error("error: expected one of --count, --slots and --names");
      return act(terminal, flags, { name: "create-nodes", body: bodyOf(flags), question: null });
    });
  return actOptions(command);
}

const exclusiveTask: ConstraintObject = { "exclusive-task": true };

function bodyOf(flags: Flags) {
  const configuration = nested(flags.softwareConfiguration ?? {});
  const attributes = {
    ...flags.attribute,
    ...(Object.keys(configuration).length > 0 && { Configuration: configuration }),
  };
  return {
    kind: "create-nodes",
    nodeArray: flags.nodearray,
    vmSize: flags.vmSize,
    placementGroup: flags.placementGroup,
    count: flags.count,
    slots: flags.slots,
    names: flags.names,
    constraints: flags.exclusiveTask ? [...(flags.constraint ?? []), exclusiveTask] : flags.constraint,
    exclusive: flags.exclusive === true,
    strategy: flags.strategy,
    keepAlive: flags.keepAlive === true,
    nameFormat: flags.nameFormat,
    ...(Object.keys(attributes).length > 0 && { nodeAttributes: attributes }),
  };
}

function names(text: string): readonly string[] {
  const expanded = expandHostlist(text);
  if (expanded !== undefined) return expanded;
  throw new InvalidArgumentError(`${JSON.stringify(text)}, expected names such as htc-[3,7-9].`);
}

/** `name=value`, where a value that is JSON is that and anything else is text; or a JSON object of several. */
function pair(
  text: string,
  before: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const several = text.trimStart().startsWith("{") ? jsonOr(text) : undefined;
  if (isDictionary(several)) return { ...before, ...several };
  const at = text.indexOf("=");
  if (at <= 0)
    throw new InvalidArgumentError(`${JSON.stringify(text)}, expected "name=value" or a JSON object.`);
  const value = text.slice(at + 1);
  return { ...before, [text.slice(0, at).trim()]: jsonOr(value, value) };
}

/** `{"slurm.autoscale": true}` as CycleCloud wants it: `{"slurm": {"autoscale": true}}`. */
function nested(pairs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = Object.create(null);
  for (const [path, value] of Object.entries(pairs)) {
    const steps = path.split(".");
    const last = steps.pop() ?? path;
    let at = root;
    for (const step of steps) {
      const there = at[step];
      const next: object = typeof there === "object" && there !== null ? there : Object.create(null);
      at[step] = next;
      at = next as Record<string, unknown>;
    }
    at[last] = value;
  }
  return root;
}
