import { Command } from "commander";
import type { LimitView } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import type { Narrowing } from "../output/fit-table.ts";
import { outputOptions, printList } from "../output/output-options.ts";
import { isSelecting, type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags;

export const limitColumns: readonly string[] = [
  "limit",
  "scope",
  "unit",
  "max:-",
  "used:-",
  "left",
  "binds",
  "bound_by:-",
];

const narrowing: Narrowing = {
  keeps: [],
  goFirst: ["BOUND_BY"],
  ofSizes: ["SCOPE", "BOUND_BY"],
  cutFirst: ["SCOPE"],
  whole: ["LIMIT", "UNIT", "MAX", "USED", "LEFT", "BINDS"],
};

/** `ccscale limits`: every limit once, not once per bucket. */
export function limitsCommand(terminal: Terminal): Command {
  const command = new Command("limits")
    .description(
      "Lists every limit once, with what is used and left, and how many (selected) buckets it binds: those that bind first, then the most used. BOUND_BY: why less is left than MAX - USED, which is another limit, or CycleCloud, which gives no reason.",
    )
    .action((flags: Flags) => look(terminal, flags, (looking) => showLimits(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showLimits({ terminal, service, settings }: Looking, flags: Flags): Promise<void> {
  const { limits } = await service.ask("limits", { query: toQuery(flags) });
  const list = {
    name: "limits",
    columns: limitColumns,
    records: limits.toSorted(tightestFirst).map(limitFields),
    data: limits.toSorted(tightestFirst),
    none: isSelecting(flags) ? "No such buckets." : "No limits: the cluster has no node array.",
    narrowing,
  };
  printList(terminal, list, { flags, settings });
}

/** Dollars to the cent. */
function limitFields(view: LimitView): Fields {
  if (view.unit !== "usd") return view;
  const cents = (usd: number | null) => (usd === null ? null : Math.round(usd * 100) / 100);
  return { ...view, max: cents(view.max), used: cents(view.used), left: cents(view.left) };
}

/** What binds and is used up, what is used up and binds next, what binds with room left; in each the most used first. */
function tightestFirst(a: LimitView, b: LimitView): number {
  return rank(a) - rank(b) || shareOf(b) - shareOf(a);
}

function rank({ binds, left, used, boundBy }: LimitView): number {
  if (binds > 0 && left === 0) return 0;
  // A bucket that another limit leaves nothing would have room without that limit.
  if (left === 0 && (used ?? 0) > 0 && boundBy === null) return 1;
  return binds > 0 ? 2 : 3;
}

/** The share that is used; unknown counts as 0. */
function shareOf({ max, used }: LimitView): number {
  return max === null || used === null || max === 0 ? 0 : used / max;
}
