import { Command, Option } from "commander";
import { counted, printable, someOf } from "../../../shared/text/text.ts";
import { CommandFailure, NotFound } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import { nodeNames } from "../selection.ts";
import type { Terminal } from "../terminal.ts";
import { droughtWords, failingWords } from "./broken.ts";
import { arrayOf, change, factorOption, labOptions, shareOption, sizesOf } from "./lab-options.ts";
import type { PanelFlags } from "./panel.ts";
import type { PanelCluster, PanelNode } from "./panel-state.ts";

interface ArrayFlags extends PanelFlags {
  readonly size?: readonly string[];
  readonly off?: true;
}

/** A command about the boots of a node array, or of some of its sizes. */
function arrayCommand(name: string, description: string): Command {
  return labOptions(
    new Command(name)
      .description(description)
      .argument("<array>", "a node array")
      .option(
        "--size <sizes>",
        "only these VM sizes of it, with or without Standard_ (default: all)",
        (text: string, before: readonly string[] = []) => [...before, ...text.split(",")],
      )
      .option("--off", "takes it back"),
  );
}

export function droughtCommand(terminal: Terminal): Command {
  const command = arrayCommand("drought", "Azure has no capacity for the VM sizes of a node array.");
  return command
    .addOption(
      new Option("--mode <mode>", "refuse: requests add no nodes; fail: nodes are added and fail")
        .choices(["refuse", "fail"])
        .default("refuse"),
    )
    .action((array: string, flags: ArrayFlags & { readonly mode: "refuse" | "fail" }) =>
      onSizes(terminal, flags, array, {
        command: "drought",
        input: { mode: flags.off === true ? "off" : flags.mode },
        done: flags.off === true ? "there is capacity again." : droughtWords(flags.mode),
        back: flags.off === true ? undefined : "drought",
      }),
    );
}

interface FailFlags extends ArrayFlags {
  readonly next?: number;
  readonly share?: number;
  readonly message: string;
}

export function failCommand(terminal: Terminal): Command {
  const command = arrayCommand("fail", "Boots of a node array fail; a retry counts as a boot.");
  return command
    .addOption(
      new Option("--next <number>", "only this many boots of each size; later ones succeed")
        .argParser(wholeNumber(1))
        .conflicts("share"),
    )
    .option("--share <share>", "a share of them, such as 30% (default: all)", shareOption)
    .option(
      "--message <words>",
      "what CycleCloud says of the failed nodes",
      "Cluster-init failed: mount of nfs-1:/shared timed out",
    )
    .action((array: string, flags: FailFlags) => {
      const { next, message } = flags;
      const failing = { message, ...(next === undefined ? { share: flags.share ?? 1 } : { next }) };
      return onSizes(terminal, flags, array, {
        command: "failBoots",
        input: flags.off === true ? {} : failing,
        done: flags.off === true ? "nodes boot again. Those that failed stay failed." : failingWords(failing),
        back: flags.off === true ? undefined : "fail",
      });
    });
}

interface SlowFlags extends ArrayFlags {
  readonly factor?: number;
  readonly stuck?: "Acquiring" | "Preparing";
}

export function slowCommand(terminal: Terminal): Command {
  const command = arrayCommand("slow", "Nodes of an array boot slowly, or never.");
  return command
    .addOption(
      new Option("--factor <number>", "how many times as long as usual").argParser(factorOption).default(5),
    )
    .addOption(
      new Option("--stuck <status>", "new nodes stay in this status").choices(["Acquiring", "Preparing"]),
    )
    .action(async (array: string, flags: SlowFlags) => {
      const isOff = flags.off === true;
      // "off" ends both.
      if (isOff || flags.stuck === undefined)
        await onSizes(terminal, flags, array, {
          command: "bootTimes",
          input: { factor: isOff ? 1 : flags.factor },
          done: isOff ? "boots take as long as usual." : `boots take ${flags.factor} times as long.`,
          back: isOff ? undefined : "slow",
          ...(isOff && { also: { command: "stuck", input: { status: "off" } } }),
        });
      else
        await onSizes(terminal, flags, array, {
          command: "stuck",
          input: { status: flags.stuck },
          done: `new nodes stay in ${flags.stuck}.`,
          back: "slow",
        });
    });
}

interface Order {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

function onSizes(
  terminal: Terminal,
  flags: ArrayFlags,
  name: string,
  order: Order & { readonly done: string; readonly back: string | undefined; readonly also?: Order },
): Promise<void> {
  return change(terminal, flags, async (panel, cluster) => {
    const array = arrayOf(cluster, name);
    const sizes = sizesOf(array, flags.size ?? []);
    for (const { command, input } of [order, ...(order.also === undefined ? [] : [order.also])])
      for (const machineType of sizes)
        await panel.tell(command, { cluster: panel.cluster, nodearray: name, machineType, ...input });
    const size = flags.size === undefined ? "" : ` --size ${sizes.join(",")}`;
    return {
      done: `${name} (${sizes.join(", ")}): ${order.done}`,
      ...(order.back !== undefined && { back: `${order.back} ${name}${size} --off` }),
    };
  });
}

interface EvictFlags extends PanelFlags {
  readonly nodearray?: string;
  readonly share?: number;
  readonly perHour?: number;
  readonly off?: true;
}

export function evictCommand(terminal: Terminal): Command {
  const command = labOptions(
    new Command("evict")
      .description(
        "Azure takes spot nodes back: those that are named, or a share of an array; with --per-hour those that boot from now on, again and again.",
      )
      .argument("[nodes...]", "names of spot nodes")
      .option("-a, --nodearray <array>", "spot nodes of this array")
      .option("--share <share>", "of the array's nodes, such as 50% (default: all)", shareOption)
      .addOption(
        new Option("--per-hour <number>", "evictions an hour of simulated time, on average")
          .argParser(factorOption)
          .conflicts(["share", "off"]),
      )
      .option("--off", "takes --per-hour back"),
  );
  return command.action((given: readonly string[], flags: EvictFlags) => {
    const { nodearray, perHour } = flags;
    if (perHour !== undefined || flags.off === true) {
      if (nodearray === undefined)
        return command.error("error: --per-hour and --off, expected with --nodearray");
      return evictLater(terminal, flags, nodearray, perHour);
    }
    if (given.length === 0 && nodearray === undefined)
      return command.error("error: no nodes, expected names or --nodearray");
    return change(terminal, flags, async (panel, cluster) => {
      const named = given.flatMap((text) => nodeNames(text));
      const chosen =
        named.length > 0 ? nodesOf(cluster, named) : spotOf(cluster, nodearray ?? "", flags.share);
      const regular = chosen.find(({ isSpot }) => !isSpot);
      if (regular !== undefined)
        throw new CommandFailure(
          `Cannot evict node "${regular.name}": it is no spot node`,
          'Azure takes spot nodes back only; "ccscale lab kill" ends any node at once.',
        );
      const names = chosen.map(({ name }) => name);
      await panel.tell("evict", { cluster: panel.cluster, names });
      return {
        done: `Azure takes ${counted(names.length, "spot nodes")} back within 30 simulated seconds: ${listed(names)}.`,
      };
    });
  });
}

function evictLater(
  terminal: Terminal,
  flags: EvictFlags,
  nodearray: string,
  perHour: number | undefined,
): Promise<void> {
  return change(terminal, flags, async (panel, cluster) => {
    arrayOf(cluster, nodearray);
    await panel.tell("evictions", { cluster: panel.cluster, nodearray, perHour: perHour ?? "off" });
    return perHour === undefined
      ? { done: `Nodes of ${nodearray} that boot from now on are evicted as usual.` }
      : {
          done: `Nodes of ${nodearray} that boot from now on are evicted ${perHour} times an hour of simulated time, on average.`,
          back: `evict --nodearray ${nodearray} --off`,
        };
  });
}

export function accidentCommand(terminal: Terminal, kind: "kill" | "crash"): Command {
  const command = labOptions(
    new Command(kind)
      .description(
        kind === "kill"
          ? "Nodes are gone at once, with their VMs and their records."
          : "Nodes fail while they are up: CycleCloud shows them as Failed.",
      )
      .argument("<nodes...>", "names of nodes"),
  );
  if (kind === "crash")
    command.option(
      "--message <words>",
      "what CycleCloud says of them",
      "Health check failed: disk is read-only",
    );
  return command.action((given: readonly string[], flags: PanelFlags & { readonly message?: string }) =>
    change(terminal, flags, async (panel, cluster) => {
      const names = nodesOf(
        cluster,
        given.flatMap((text) => nodeNames(text)),
      ).map(({ name }) => name);
      const input = { cluster: panel.cluster, names };
      if (kind === "kill") await panel.tell("kill", input);
      else await panel.tell("fail", { ...input, message: flags.message });
      return kind === "kill"
        ? { done: `Gone: ${listed(names)}.` }
        : { done: `Failed: ${listed(names)}. "ccscale retry-failed" boots failed nodes again.` };
    }),
  );
}

function nodesOf({ nodes }: PanelCluster, names: readonly string[]): readonly PanelNode[] {
  return names.map((name) => {
    const named = nodes.find((node) => node.name === name);
    if (named !== undefined) return named;
    throw new NotFound(
      `The simulator has no node "${printable(name)}"`,
      nodes.length === 0 ? "It has no nodes." : `It has ${listed(nodes.map((node) => node.name))}.`,
    );
  });
}

/** At least one, the oldest first. */
function spotOf(cluster: PanelCluster, array: string, share = 1): readonly PanelNode[] {
  arrayOf(cluster, array);
  const up = cluster.nodes.filter(({ nodeArray, status }) => nodeArray === array && status !== "Terminating");
  if (up.length === 0)
    throw new NotFound(`Node array "${array}" has no nodes to evict`, "Wait until there are some.");
  return up.slice(0, Math.max(1, Math.round(up.length * share)));
}

function listed(names: readonly string[]): string {
  return someOf(names, 10);
}
