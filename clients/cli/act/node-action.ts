import { Command } from "commander";
import { type SelectionFlags, selectionOptions, toSelection, toWords } from "../selection.ts";
import type { Terminal } from "../terminal.ts";
import { act, type Wanted } from "./act.ts";
import { type ActFlags, actOptions } from "./act-options.ts";

interface Flags extends ActFlags, SelectionFlags {
  readonly force?: true;
}

/** How a command that acts on existing nodes differs from the others. */
export interface NodeAction extends Pick<Wanted, "isDestructive" | "name"> {
  readonly description: string;
  /** As the API calls it. */
  readonly kind: string;
  /** Whether `--force` takes nodes with jobs too. */
  readonly canForce: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A command that acts on the nodes that its selection names. Without a selection it is wrong usage: never all nodes. */
export function nodeActionCommand(terminal: Terminal, action: NodeAction): Command {
  const command: Command = new Command(action.name).description(action.description);
  if (action.canForce) command.option("--force", "also nodes on which jobs run");
  command.action((flags: Flags) => {
    const nodes = toSelection(flags);
    if (nodes === undefined)
      return command.error(
        "error: no nodes, expected at least one of --node-name, --hostname, --nodearray, --constraint",
      );
    const force = action.canForce ? { force: flags.force === true } : {};
    const body = { kind: action.kind, nodes, ...force, ...action.more };
    const { name, isDestructive } = action;
    return act(terminal, flags, { name, body, isDestructive, nextWhenRefused: lookFirst(flags) });
  });
  return actOptions(selectionOptions(command));
}

function lookFirst(flags: SelectionFlags): string {
  const words = toWords(flags);
  return words === undefined
    ? 'See with "ccscale nodes" and the same selection which nodes it names.'
    : `Run "ccscale nodes ${words}" to see which nodes that names, or "ccscale nodes" to see all.`;
}
