import { Command } from "commander";
import type { RejectionView } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import type { Fields } from "../output/columns/evaluate.ts";
import { moment } from "../output/moments.ts";
import { outputOptions, printList } from "../output/output-options.ts";
import { positive } from "../positive.ts";
import { askAll } from "../service/ask-all.ts";
import type { Terminal } from "../terminal.ts";

const usualLimit = 50;

interface Flags extends LookFlags {
  readonly limit: number;
}

const columns: readonly string[] = [
  "id@rejection_id",
  "received",
  "kind",
  "cluster:-",
  "source:-",
  "queue",
  "replayed:-",
  "problem[:100]",
];

/** `ccscale rejects list`: newest first; those that name no configured cluster too. */
export function rejectsListCommand(terminal: Terminal): Command {
  const command = new Command("list")
    .description(
      "Lists messages that were refused or given up, newest first; those that name no known cluster too.",
    )
    .option("--limit <number>", "at most so many", positive, usualLimit)
    .action((flags: Flags) => look(terminal, flags, (looking) => listRejects(looking, flags)));
  return outputOptions(lookOptions(command));
}

async function listRejects({ terminal, service, settings }: Looking, flags: Flags): Promise<void> {
  const { items } = await askAll(service, "rejects", {
    pick: ({ rejections }) => rejections,
    most: flags.limit,
  });
  const list = {
    name: "rejects",
    columns,
    records: items.map(rejectFields),
    data: items,
    none: "No rejected messages.",
  };
  printList(terminal, list, { flags, settings });
}

function rejectFields(rejection: RejectionView): Fields {
  const { receivedAtSeconds, replayedAtSeconds, problems } = rejection;
  const [first = "", ...more] = problems;
  return {
    ...rejection,
    received: moment(receivedAtSeconds),
    replayed: replayedAtSeconds === undefined ? null : moment(replayedAtSeconds),
    problem: more.length === 0 ? first : `${first} (and ${more.length} more)`,
  };
}
