import { Command, InvalidArgumentError } from "commander";
import type { ActionBody } from "../../../shared/api/index.ts";
import type { ActFlags } from "../act/act-options.ts";
import type { EndFlags } from "../act/end-options.ts";
import type { Example } from "../reference/command-example.ts";
import type { SelectionFlags } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

/** How a command that acts on existing nodes differs from the others. */
interface NodeAction {
  /** As it is typed: of two words the first is a group. */
  readonly name: string;
  readonly kind: Exclude<ActionBody["kind"], "create-nodes" | "pause" | "resume" | "roll" | "stop-rolling">;
  readonly summary: string;
  /** `force`: takes nodes with jobs too. `rolling`: may go on by itself, so many at a time. `end`: may end by itself. */
  readonly options?: readonly ("force" | "rolling" | "end")[];
  /** Without a selection it means all nodes that it is for; absent: a selection is required. */
  readonly needsNoSelection?: true;
  /** The question after the preview of an action that destroys something; absent: no question. */
  readonly question?: string;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly examples: readonly Example[];
}

/** Every command that acts on the nodes that its selection names, in the order of the help. */
const actions = {
  "delete-nodes": {
    kind: "delete",
    summary:
      "Deletes nodes: they are drained if their scheduler can, and then shut down. Keep-alive nodes are refused.",
    options: ["force"],
    question: "Do it?",
    examples: [
      {
        line: "delete-nodes -N 'htc-*' --dry-run",
        does: "which nodes would be deleted, which not, and why",
        isShown: true,
      },
      { line: "delete-nodes --hostname ip-0A00000F --force --yes", does: "even if jobs run there" },
    ],
  },
  "remove-nodes": {
    kind: "remove",
    summary:
      "Deletes nodes and their VMs for good, their records too. Keep-alive nodes are refused. remove_nodes of azpbs and azge keeps the VMs: for that, use keep-alive on and drain.",
    options: ["force"],
    question:
      'This deletes the VMs of these nodes and their records. To keep the VMs and take the nodes out of their scheduler, use "ccscale keep-alive on" and "ccscale drain". Delete them?',
    examples: [{ line: "remove-nodes -N viz-2 --yes --wait", does: "deletes the VM and its record" }],
  },
  terminate: {
    kind: "terminate",
    summary:
      "Deletes the VMs of nodes, whatever their shutdown policy: delete-nodes deallocates where the policy says so. Keep-alive nodes are refused.",
    options: ["force"],
    question: "This deletes the VMs and their disks, also of nodes that would be deallocated. Delete them?",
    examples: [
      { line: "terminate -N viz-2 --dry-run", does: "for a VM that delete-nodes would only deallocate" },
    ],
  },
  drain: {
    kind: "drain",
    summary:
      "Sends no new jobs to nodes until undrain. Running jobs finish; then the nodes are deleted when idle.",
    options: ["force", "rolling", "end"],
    examples: [
      { line: "drain -N 'htc-[78]' --reason 'disk test'", does: "no new jobs there", isShown: true },
      {
        line: "drain --nodearray htc --rolling 10% --replace --reason 'new image' --dry-run",
        does: "a tenth at a time, each deleted when its jobs have ended",
        isShown: true,
      },
      {
        line: "drain --nodearray htc --rolling 10% --reason 'new image'",
        does: "goes on by itself, in the service; each stays drained. `status` shows how far it is",
        isShown: true,
      },
      {
        line: "drain htc-8 --for 2h --reason 'disk test' --dry-run",
        does: "ends by itself; `events` shows when it did",
        isShown: true,
      },
    ],
  },
  undrain: {
    kind: "undrain",
    summary: "Lets drained nodes take jobs again.",
    examples: [{ line: "undrain -N 'htc-[78]'", does: "they take jobs again" }],
  },
  start: {
    kind: "start",
    summary: "Starts nodes that are deallocated.",
    examples: [{ line: "start -N viz-1 --wait", does: "waits until it starts", isShown: true }],
  },
  deallocate: {
    kind: "deallocate",
    summary:
      "Stops nodes and keeps their disks, so that they start again fast. Keep-alive nodes are refused.",
    options: ["force"],
    question: "Do it?",
    examples: [
      { line: "deallocate --nodearray viz --yes", does: "stops it over the weekend, and keeps its disk" },
    ],
  },
  restart: {
    kind: "restart",
    summary: "Restarts the machines of nodes.",
    options: ["force"],
    question: "Do it?",
    examples: [{ line: "restart -N viz-1 --yes", does: "restarts it" }],
  },
  reimage: {
    kind: "reimage",
    summary: "Gives nodes a new disk from their image.",
    options: ["force"],
    question: "Do it?",
    examples: [{ line: "reimage -N viz-1 --yes", does: "gives it a new disk" }],
  },
  "retry-failed": {
    kind: "retry-failed",
    summary: "Boots all failed nodes of the cluster again. CycleCloud retries all, whichever you select.",
    needsNoSelection: true,
    examples: [{ line: "retry-failed", does: "boots failed nodes again", isShown: true }],
  },
  "keep-alive on": {
    kind: "keep-alive",
    summary: "Keeps nodes alive: they still take jobs, and only an operator deletes them.",
    options: ["end"],
    more: { on: true },
    examples: [
      { line: "keep-alive on -N viz-1 --reason 'licence server'", does: "only you may delete it" },
      {
        line: "keep-alive on viz-1 --for 2d --reason 'long debug' --dry-run",
        does: "for two days; also --until 2026-11-24T08:00",
        isShown: true,
      },
    ],
  },
  "keep-alive off": {
    kind: "keep-alive",
    summary:
      "Ends keep-alive: idle nodes are deleted as usual. Nodes that CycleCloud itself keeps alive stay; change them there.",
    more: { on: false },
    examples: [{ line: "keep-alive off -N viz-1", does: "it is deleted when it is idle" }],
  },
  ignore: {
    kind: "ignore",
    summary: "Makes the autoscaler leave nodes alone: no jobs, no deletion, no retry.",
    options: ["end"],
    examples: [{ line: "ignore -N htc-8 --reason 'disk test'", does: "leaves it alone" }],
  },
  unignore: {
    kind: "unignore",
    summary: "Makes the autoscaler manage ignored nodes again.",
    examples: [{ line: "unignore -N htc-8", does: "manages it again" }],
  },
} as const satisfies Readonly<Record<string, Omit<NodeAction, "name">>>;

export type NodeActionName = keyof typeof actions;

export const nodeActions = Object.entries<Omit<NodeAction, "name">>(actions).map(([name, action]) => ({
  name: name as NodeActionName,
  ...action,
}));

type Flags = ActFlags &
  EndFlags &
  SelectionFlags & { readonly force?: true; readonly rolling?: number | string; readonly replace?: true };

/** One command of the table. Without a selection it is wrong usage, unless it is for nodes in one state only. */
export async function nodeActionCommand(terminal: Terminal, name: NodeActionName): Promise<Command> {
  // Loaded here: the list of all commands needs the table alone.
  const [
    { act },
    { actOptions },
    { endOf, endOptions },
    { nodeNames, selectionOptions, toSelection, toWords },
  ] = await Promise.all([
    import("../act/act.ts"),
    import("../act/act-options.ts"),
    import("../act/end-options.ts"),
    import("../selection.ts"),
  ]);
  const action: Omit<NodeAction, "name"> = actions[name];
  const { kind, question = null, more, summary, options: own = [] } = action;
  const canForce = own.includes("force");
  const command: Command = new Command(name.split(" ").at(-1)).description(summary);
  if (canForce) command.option("--force", "even if jobs run on them");
  if (own.includes("rolling"))
    command
      .option(
        "--rolling <count>",
        "so many at a time, such as 5 or 10%; the service goes on by itself",
        atOnce,
      )
      .option("--replace", "with --rolling: deletes each node once no job runs there");
  if (own.includes("end")) endOptions(command);
  command.argument("[nodes...]", "names of nodes, as with --node-name");
  command.action((given: readonly string[], options: Flags) => {
    // A name may stand where people type it first, and a list of names wherever one may.
    const named = given.reduce<readonly string[]>(
      (before, text) => nodeNames(text, before),
      options.nodeName ?? [],
    );
    const flags = named.length === 0 ? options : { ...options, nodeName: named };
    const nodes = toSelection(flags);
    if (nodes === undefined && action.needsNoSelection !== true)
      return command.error(
        "error: no nodes, expected at least one of --node-name, --hostname, --nodearray, --constraint, or their names",
      );
    if (flags.replace === true && flags.rolling === undefined)
      return command.error("error: --replace, expected with --rolling");
    const end = endOf(flags, Date.now() / 1000);
    if (flags.rolling !== undefined && end.untilSeconds !== undefined)
      return command.error("error: --for or --until, expected without --rolling");
    const body =
      flags.rolling === undefined
        ? {
            kind,
            ...(nodes && { nodes }),
            ...(canForce && { force: flags.force === true }),
            ...more,
            ...end,
          }
        : { kind: "roll", nodes, atOnce: flags.rolling, replace: flags.replace === true };
    return act(terminal, flags, { name, body, question, nextWhenRefused: viewFirst(toWords(flags)) });
  });
  return actOptions(selectionOptions(command));
}

function atOnce(text: string): number | string {
  if (/^(100|[1-9]\d?)%$/.test(text)) return text;
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError(`"${text}", expected a number of nodes or a share such as 10%`);
}

/** `ccscale keep-alive on|off`: whether anybody but the operator may delete nodes. */
export async function keepAliveCommand(terminal: Terminal): Promise<Command> {
  const command: Command = new Command("keep-alive");
  return (
    command
      .description(
        "Protects nodes from deletion, or ends that. The service keeps the record: CycleCloud documents no call that changes an existing node.",
      )
      .usage("on|off [options]")
      // Without one of the words nothing else is reported: it would hide the real mistake.
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => command.error('error: expected "on" or "off" after keep-alive'))
      .addCommand(await nodeActionCommand(terminal, "keep-alive on"))
      .addCommand(await nodeActionCommand(terminal, "keep-alive off"))
  );
}

/** What to do when a selection names no node; `words` select the same as a shell takes them. */
function viewFirst(words: string | undefined): string {
  return words === undefined
    ? 'Run "ccscale nodes" with the same selection to see its nodes.'
    : `Run "ccscale nodes ${words}" to see the selected nodes, or "ccscale nodes" to see all.`;
}
