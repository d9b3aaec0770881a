import { Command } from "commander";
import type { PlanAnswer, PlanRecordView } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { CommandFailure } from "../exit-code.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import { changeLine } from "../output/change-line.ts";
import { decidedOn } from "../output/decided.ts";
import type { Narrowing } from "../output/fit-table.ts";
import { ago, moment } from "../output/moments.ts";
import { outputOptions } from "../output/output-options.ts";
import type { Page } from "../output/report.ts";
import { timesOption } from "../output/times.ts";
import { askAll } from "../service/ask-all.ts";
import type { Terminal } from "../terminal.ts";
import { type TimeOption, timeOption, toSeconds } from "../time-values.ts";
import { planIds, withWholeId } from "../whole-id.ts";

interface Flags extends LookFlags {
  readonly limit?: number;
  readonly since?: TimeOption;
  readonly at?: TimeOption;
}

const usualLimit = 20;
const mostSince = 10_000;

export const planColumns = columnsOf(
  "plan_id,made,reason[:40],jobs,placed_jobs,create,start,retire,held[:160]:-",
);

const narrowing: Narrowing = {
  goFirst: ["START", "PLACED_JOBS"],
  whole: ["PLAN_ID", "MADE"],
  sentence: "HELD",
};

export function plansCommand(terminal: Terminal): Command {
  const command: Command = new Command("plans")
    .description("Lists plans, newest first; with an id, shows one plan: its decisions and their outcome.")
    .argument(
      "[id...]",
      'from the list, or how it begins; "last" for the newest; "diff" and two of them: what the second decided otherwise',
    )
    .option("--limit <number>", `maximum number (default: ${usualLimit}; with --since all)`, wholeNumber(1))
    .option("--since <time>", "from then on: a length of time such as 1h or 2d, or a date", timeOption)
    .option("--at <time>", "shows the plan that was the newest then, such as 14:02 or 2h", timeOption)
    .action(([id, ...more]: readonly string[], flags: Flags) => {
      const [before, after] = more;
      if (id === "diff") {
        if (before === undefined || after === undefined || more.length > 2)
          return command.error("error: expected two ids after diff");
        if (isOfList(flags)) return command.error(`${listRefused} diff: it shows what differs`);
        return look(terminal, flags, (looking) => showDifference(looking, { before, after }));
      }
      if (more.length > 0) return command.error("error: expected one id, or diff and two ids");
      if (flags.at !== undefined && (id ?? flags.since ?? flags.limit) !== undefined)
        return command.error("error: expected --at without an id, --since and --limit");
      if (id === undefined && flags.at === undefined)
        return look(terminal, flags, (looking) => listPlans(looking, flags));
      if (isOfList(flags)) return command.error(`${listRefused} an id or --at: an id shows one plan`);
      return look(terminal, flags, async (looking) =>
        showPlan(looking, id ?? (await planAt(looking, flags.at))),
      );
    });
  return timesOption(outputOptions(lookOptions(command)));
}

const listRefused = "error: expected no -o, --long or --format other than table and json with";

/** Whether it says how a list is printed. */
function isOfList({ format = "table", outputColumns, long }: Flags): boolean {
  return !["table", "json"].includes(format) || outputColumns !== undefined || long === true;
}

async function listPlans({ service, moments, list }: Looking, flags: Flags): Promise<void> {
  const sinceSeconds = flags.since === undefined ? undefined : toSeconds(flags.since, Date.now() / 1000);
  const { first, items: read } = await askAll(service, "plans", {
    pick: ({ plans }): readonly PlanRecordView[] => plans,
    most: flags.limit ?? (sinceSeconds === undefined ? usualLimit : mostSince),
    // Newest first: once one is older, all that follow are.
    ...(sinceSeconds !== undefined && { until: ({ atSeconds }: PlanRecordView) => atSeconds < sinceSeconds }),
  });
  const items = sinceSeconds === undefined ? read : read.filter(({ atSeconds }) => atSeconds >= sinceSeconds);
  const when = moments("relative", first.atSeconds);
  list({
    name: "plans",
    columns: planColumns,
    records: items.map((plan): Fields => ({ ...plan, made: when(plan.atSeconds) })),
    data: items,
    none: "No plans.",
    narrowing,
  });
}

async function showPlan({ service, report }: Looking, id: string): Promise<void> {
  const plan = await planNamed(service, id);
  report(plan, (page) => planOn(page, plan));
}

async function showDifference(
  { terminal, service, report }: Looking,
  ids: { readonly before: string; readonly after: string },
): Promise<void> {
  const wholeIdOf = async (id: string) => (await planNamed(service, id)).summary.planId;
  const [before, after] = await Promise.all([wholeIdOf(ids.before), wholeIdOf(ids.after)]);
  const answer = await service.ask("plan-difference", { params: { planId: after }, query: { before } });
  const { changes, counts, reason } = answer;
  if (reason !== null)
    throw new CommandFailure(
      `Cannot compare plan "${before}" with "${after}": ${reason}`,
      "`ccscale plans ID` shows what is kept of it.",
    );
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const lines = [
    ...(all === 0 ? ["Nothing differs."] : changes.map(changeLine)),
    ...(all > changes.length ? [`… and ${all - changes.length} more`] : []),
  ];
  report(answer, () => terminal.stdout.write(lines.map((line) => `${line}\n`).join("")));
}

/** The plan that was the newest at a time. Throws CommandFailure where none that old is kept. */
async function planAt({ service }: Looking, time: TimeOption = { lengthSeconds: 0 }): Promise<string> {
  const atSeconds = toSeconds(time, Date.now() / 1000);
  const isThen = (plan: PlanRecordView) => plan.atSeconds <= atSeconds;
  const { items } = await askAll(service, "plans", {
    pick: ({ plans }): readonly PlanRecordView[] => plans,
    most: mostSince,
    // Newest first.
    until: isThen,
  });
  const plan = items.find(isThen);
  if (plan !== undefined) return plan.planId;
  throw new CommandFailure(
    `No plan is kept of ${moment(atSeconds)} or before`,
    '"ccscale plans" lists those that are.',
  );
}

/** By its id, by how that begins, or "last": the newest. */
async function planNamed(service: Looking["service"], id: string): Promise<PlanAnswer> {
  const newest = id === "last" ? (await service.ask("plans", { query: { limit: 1 } })).plans[0] : undefined;
  return withWholeId(
    newest?.planId ?? id,
    (planId) => service.ask("plan", { params: { planId } }),
    () => planIds(service),
  );
}

/** The archive has what the planner decided. Nodes that their schedulers are still to drain are not deleted by it. */
function deletedAtOnce({ summary, retire }: PlanAnswer): string | null {
  if (summary.retire >= retire.length) return null;
  const nodes = `${summary.retire} ${summary.retire === 1 ? "node" : "nodes"}`;
  return `${nodes}; the others that it lists are drained first`;
}

/** Null for most: a plan that is archived whole can be replayed. */
function archivedAs({ archive, archiveReason }: PlanRecordView): string | null {
  if (archive === "whole") return null;
  const what = archive === "summary" ? "in summary" : "not, so its lists are empty here";
  return `${what}: ${archiveReason ?? "no reason was noted"}`;
}

function planOn(page: Page, plan: PlanAnswer): void {
  const { summary, operations, atSeconds } = plan;
  page.facts([
    ["plan", summary.planId],
    ["made", `${moment(summary.atSeconds)}, ${ago(summary.atSeconds, atSeconds)}`],
    ["because", summary.reason],
    ["jobs", `${summary.placedJobs} of ${summary.jobs} have everything they asked for`],
    ["held", summary.held ?? null],
    ["archived", archivedAs(summary)],
    ["deleted at once", deletedAtOnce(plan)],
  ]);
  decidedOn(page, plan, { nowSeconds: summary.atSeconds });
  if (operations.length === 0) return;
  page.title("Outcome of its actions");
  const rows = operations.map((operation) => [
    operation.actionId,
    operation.kind,
    operation.state,
    operation.nodeCount,
    operation.messages.join("; "),
  ]);
  page.table(["ACTION", "KIND", "STATE", "NODES", "MESSAGES"], rows);
}
