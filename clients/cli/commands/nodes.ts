import { Command, InvalidArgumentError } from "commander";
import type { ClusterStatus, NodeView } from "../../../shared/api/index.ts";
import { printable } from "../../../shared/text/text.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import { heldColumns, heldNarrowing, holdFields, holdsOf } from "../output/held-nodes.ts";
import { failedNarrowing, nodeColumns, nodeFields, nodeNarrowing } from "../output/node-fields.ts";
import { isIdle, summaryColumns, summaryFields, summaryOf, summaryTotal } from "../output/node-summary.ts";
import { note } from "../output/note.ts";
import { outputOptions, resourcesPrinted } from "../output/output-options.ts";
import { parseSort, type SortKey, sorted } from "../output/sorted.ts";
import { timesOption } from "../output/times.ts";
import { type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import { askAll } from "../service/ask-all.ts";
import { progressOn, type Terminal } from "../terminal.ts";
import { refuseUnknownStates } from "../unknown-words.ts";

interface Flags extends LookFlags, SelectionFlags {
  readonly state?: string;
  readonly where?: string;
  readonly idle?: true;
  readonly sort?: readonly SortKey[];
  readonly limit?: number;
  readonly summary?: true;
  readonly held?: true;
}

const kind = { name: "nodes", columns: nodeColumns, isOfNodes: true } as const;

export function nodesCommand(terminal: Terminal): Command {
  const command: Command = new Command("nodes")
    .description("Lists nodes with their jobs, free resources and idle times.")
    .option("--state <states>", 'only nodes in these states, such as "Ready,Fail*"')
    .option("--where <terms>", 'only nodes of which all of it holds, such as "array:htc user:ann cost>10"')
    .option("--idle", "only nodes that are up and have no job")
    .option("--held", "nodes that are kept, drained or ignored: by whom, until when and why")
    .option("--sort <columns>", "by these columns, such as idle or -idle (the largest first)", sortKeys)
    .option("--limit <number>", "maximum number", wholeNumber(1))
    .option("--summary", "a row for each array, state and size: nodes, cores, idle nodes, USD per hour")
    .action((flags: Flags) => {
      if (flags.summary && (flags.sort ?? flags.limit) !== undefined)
        return command.error("error: expected --summary without --sort and --limit");
      if (flags.held && (flags.summary ?? flags.sort ?? flags.limit) !== undefined)
        return command.error("error: expected --held without --summary, --sort and --limit");
      return look(terminal, flags, (looking) => showNodes(looking, flags));
    });
  return timesOption(outputOptions(selectionOptions(lookOptions(command))));
}

function sortKeys(text: string): readonly SortKey[] {
  const parsed = parseSort(text);
  if (parsed.ok) return parsed.keys;
  throw new InvalidArgumentError(`${parsed.problem}.`);
}

async function showNodes(looking: Looking, flags: Flags): Promise<void> {
  const { terminal, service, moments, format, list } = looking;
  const [{ atSeconds, nodes, isHeld, isIdleHeld }, status] = await Promise.all([
    readNodes(looking, flags),
    flags.idle || flags.held ? service.ask("status") : undefined,
  ]);
  await refuseUnknownStates(service, flags.state);
  const chosen = flags.idle ? nodes.filter(isIdle) : nodes;
  if (flags.held && status) return showHeld(looking, { nodes: chosen, atSeconds, status });
  if (flags.summary) return showSummary(looking, { nodes: chosen, atSeconds });
  const ordered = sorted(chosen, flags.sort ?? [], (node) => sortFields(node, atSeconds));
  const items = ordered.slice(0, flags.limit);
  // What CycleCloud says of failed nodes is what people look for where there are some.
  const isFailed = items.some(({ state, failure }) => state === "Failed" && failure?.message != null);
  const isKept = items.some(({ kept, keepAlive }) => kept.length > 0 && !keepAlive);
  const when = moments("utc", atSeconds);
  list({
    ...kind,
    columns: [...kind.columns, ...(isKept ? ["kept_by:-"] : []), ...(isFailed ? ["failure:-"] : [])],
    records: items.map((node) =>
      nodeFields(node, atSeconds, {
        when,
        isHeld: isHeld || (isIdleHeld && node.idleSinceSeconds !== null),
        isData: ["json", "jsonl"].includes(format()),
      }),
    ),
    data: items,
    none: "No such nodes.",
    narrowing: isFailed ? failedNarrowing : nodeNarrowing,
  });
  if (items.length < ordered.length)
    terminal.stderr.write(`${items.length} of ${ordered.length} nodes shown\n`);
  if (status !== undefined && items.length > 0) reportWhyNoneGoes(terminal, status);
  if (items.length === 0 && flags.constraint !== undefined)
    terminal.stderr.write('"ccscale validate-constraint EXPRESSION" shows how a constraint is understood\n');
}

async function readNodes({ terminal, service, settings }: Looking, flags: Flags) {
  const progress = await progressOn(terminal);
  const { first, items } = await askAll(service, "nodes", {
    call: { query: { ...toQuery(flags), state: flags.state, where: flags.where } },
    pick: ({ nodes }) => nodes,
    // The cluster's configuration may set how to print, and is known after the first page. Any resource may be sorted by.
    ...(flags.sort === undefined && {
      rest: () => ({ resources: resourcesPrinted(kind, { flags, settings }) }),
    }),
    onPage: (count, total) => {
      if (count !== total) progress.report(`${count} of ${total ?? "?"} nodes`);
    },
  });
  progress.end();
  // An older service sends neither.
  const { atSeconds, held = null, idleHeld = null } = first;
  return { atSeconds, nodes: items, isHeld: held !== null, isIdleHeld: idleHeld !== null };
}

/** What keeps every idle node, whatever DELETE_IN says of its time-out. */
function reportWhyNoneGoes(terminal: Terminal, { problems }: ClusterStatus): void {
  const kinds = ["paused", "read-only", "demand-unknown", "demand-unread"];
  const holds = problems.filter(({ kind }) => kinds.includes(kind));
  for (const { text } of holds) note(terminal, `no node goes now: ${printable(text)}`);
}

interface NodesShown {
  readonly nodes: readonly NodeView[];
  readonly atSeconds: number;
}

function showHeld(
  { list }: Looking,
  { nodes, atSeconds, status }: NodesShown & { readonly status: ClusterStatus },
): void {
  const holds = holdsOf(nodes, status);
  list({
    name: "nodes-held",
    columns: heldColumns,
    narrowing: heldNarrowing,
    records: holds.map((hold) => holdFields(hold, atSeconds)),
    data: holds,
    none: "No node is kept, drained or ignored.",
  });
}

/** Durations in seconds: as text, "9s" would come after "10m". */
function sortFields(node: NodeView, nowSeconds: number): Fields {
  const { idleSinceSeconds, deleteAtSeconds, firstSeenSeconds, expectedReadySeconds } = node;
  const since = (seconds: number | null) => (seconds === null ? null : nowSeconds - seconds);
  const until = (seconds: number | null) => (seconds === null ? null : seconds - nowSeconds);
  return {
    ...nodeFields(node, nowSeconds),
    idle: since(idleSinceSeconds),
    age: since(firstSeenSeconds),
    delete_in: until(deleteAtSeconds),
    ready_in: until(expectedReadySeconds),
  };
}

function showSummary({ terminal, format, list }: Looking, { nodes, atSeconds }: NodesShown): void {
  const groups = summaryOf(nodes, atSeconds);
  const total = summaryTotal(nodes);
  const isTable = format().startsWith("table");
  const rows = isTable && groups.length > 1 ? [...groups, total] : groups;
  list({
    name: "nodes-summary",
    columns: summaryColumns,
    records: rows.map(summaryFields),
    data: groups,
    none: "No such nodes.",
  });
  if (isTable && total.unpriced > 0)
    note(
      terminal,
      `${total.unpriced} of ${total.nodes} nodes have no price and cost more than 0: set prices, see docs/prices.md`,
    );
}
