import { Command } from "commander";
import type { LimitsAnswer, LimitView, SharedLimit } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import type { Narrowing } from "../output/fit-table.ts";
import { outputOptions } from "../output/output-options.ts";
import { pageOn } from "../output/report.ts";
import { isSelecting, type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags & { readonly shared?: true };

export const limitColumns = columnsOf(
  "limit,scope,unit,max:-,used:-,left,jobs@waiting_jobs,cores@waiting_cores,binds",
  "bound_by:-",
);

export const sharedColumns: readonly string[] = [
  "limit",
  "scope",
  "max:-",
  "cluster",
  "held",
  "ordered",
  "waiting",
  "guaranteed",
  "lends",
  "waits_for:-",
];

const narrowing: Narrowing = {
  goFirst: ["BINDS", "BOUND_BY"],
  ofSizes: ["SCOPE", "BOUND_BY"],
  cutFirst: ["SCOPE"],
  whole: ["LIMIT", "UNIT", "MAX", "USED", "LEFT", "JOBS", "CORES"],
};

export function limitsCommand(terminal: Terminal): Command {
  const command = new Command("limits")
    .description(
      "Lists every limit once, with the jobs and cores that wait behind it, and how many (selected) buckets it binds: what most cores wait for first, then what binds, then the most used. BOUND_BY: why less is left than MAX - USED: another limit, or CycleCloud, which gives no reason; of a back-off, why and for how long.",
    )
    .option(
      "--shared",
      "who has what of the quotas that clusters share, who lends of its guarantee, and who waits for whom",
    )
    .action((flags: Flags) => look(terminal, flags, (looking) => showLimits(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showLimits(looking: Looking, flags: Flags): Promise<void> {
  const { terminal, service, format, list } = looking;
  const answer = await service.ask("limits", { query: toQuery(flags) });
  const { limits } = answer;
  if (flags.shared) return printShared(looking, answer);
  list({
    name: "limits",
    columns: limitColumns,
    records: limits.map(limitFields),
    data: limits,
    none: isSelecting(flags) ? "No such buckets." : "No limits: the cluster has no node array.",
    narrowing,
  });
  const isTable = format() === "table";
  if (isTable && limits.some(isWaitedForQuota))
    pageOn(terminal).line(
      'Jobs wait for a quota that the whole subscription has. CycleCloud does not say who uses it; "ccscale limits --shared" shows what clusters of this service have.',
    );
}

function printShared({ terminal, list }: Looking, { shared = [], unshared = [] }: LimitsAnswer): void {
  list({
    name: "shared",
    columns: sharedColumns,
    records: shared.flatMap(sharedRows),
    data: shared,
    none: "No other cluster of the deployment takes from the same quotas.",
  });
  if (unshared.length > 0)
    pageOn(terminal).line(
      `Cannot tell who shares the quotas of ${unshared.join(", ")}: CycleCloud does not name the account (Credentials).`,
    );
}

function sharedRows({ limit, scope, max, clusters, otherCores }: SharedLimit): readonly Fields[] {
  const quota = { limit, scope, max };
  const rows = clusters.map((each) => ({
    ...quota,
    cluster: each.cluster,
    held: each.heldCores,
    ordered: each.orderedCores,
    waiting: each.waitingCores,
    guaranteed: Math.floor(each.guaranteedCores),
    lends: Math.floor(each.lendsCores),
    waits_for: each.waitsFor.length === 0 ? null : each.waitsFor.join(","),
  }));
  const nothing = { ordered: 0, waiting: 0, guaranteed: 0, lends: 0, waits_for: null };
  return otherCores ? [...rows, { ...quota, cluster: "(others)", held: otherCores, ...nothing }] : rows;
}

function isWaitedForQuota({ limit, waitingJobs }: LimitView): boolean {
  return (limit === "family" || limit === "region") && waitingJobs > 0;
}

/** Dollars to the cent. */
function limitFields(view: LimitView): Fields {
  if (view.unit !== "usd") return view;
  const cents = (usd: number | null) => (usd === null ? null : Math.round(usd * 100) / 100);
  return { ...view, max: cents(view.max), used: cents(view.used), left: cents(view.left) };
}
