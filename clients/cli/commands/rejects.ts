import { Command } from "commander";
import type { RejectAnswer, RejectionView } from "../../../shared/api/index.ts";
import { jsonOr } from "../../../shared/json/json.ts";
import { printable } from "../../../shared/text/text.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { byOption, dryRunOption, requestOf } from "../act/act-options.ts";
import { CommandFailure } from "../exit-code.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import type { Narrowing } from "../output/fit-table.ts";
import { moment } from "../output/moments.ts";
import { outputOptions, reportOption } from "../output/output-options.ts";
import { prettyJson } from "../output/print.ts";
import type { Page } from "../output/report.ts";
import { timesOption } from "../output/times.ts";
import { readText } from "../read-text.ts";
import { askAll } from "../service/ask-all.ts";
import { reach } from "../service/reach.ts";
import type { Service } from "../service/service.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import { confirm, type Terminal } from "../terminal.ts";
import { withWholeId } from "../whole-id.ts";

export function rejectsCommand(terminal: Terminal): Command {
  return new Command("rejects")
    .description("Lists, shows and replays rejected messages.")
    .addCommand(rejectsListCommand(terminal))
    .addCommand(rejectsShowCommand(terminal))
    .addCommand(rejectsReplayCommand(terminal));
}

const usualLimit = 50;

interface ListFlags extends LookFlags {
  readonly limit: number;
}

export const rejectColumns = columnsOf(
  "id@rejection_id,received,kind,cluster:-,source:-,queue,replayed:-,problem[:160]",
);

const narrowing: Narrowing = {
  goFirst: ["QUEUE", "CLUSTER", "KIND"],
  whole: ["ID"],
  sentence: "PROBLEM",
};

/** `ccscale rejects list`: newest first; those that name no configured cluster too. */
function rejectsListCommand(terminal: Terminal): Command {
  const command = new Command("list")
    .description("Lists rejected messages, newest first, also those without a known cluster.")
    .option("--limit <number>", "maximum number", wholeNumber(1), usualLimit)
    .action((flags: ListFlags) => look(terminal, flags, (looking) => listRejects(looking, flags)));
  return timesOption(outputOptions(lookOptions(command)));
}

async function listRejects({ service, moments, list }: Looking, flags: ListFlags): Promise<void> {
  const { items } = await askAll(service, "rejects", {
    pick: ({ rejections }) => rejections,
    most: flags.limit,
  });
  const when = moments("utc", Date.now() / 1000);
  list({
    name: "rejects",
    columns: rejectColumns,
    records: items.map((rejection) => rejectFields(rejection, when)),
    data: items,
    none: "No rejected messages.",
    narrowing,
  });
}

function rejectFields(rejection: RejectionView, when: (seconds: number) => string): Fields {
  const { receivedAtSeconds, replayedAtSeconds, problems } = rejection;
  const [first = "", ...more] = problems;
  return {
    ...rejection,
    received: when(receivedAtSeconds),
    replayed: replayedAtSeconds === undefined ? null : when(replayedAtSeconds),
    problem: more.length === 0 ? first : `${first} (and ${more.length} more)`,
  };
}

function rejectsShowCommand(terminal: Terminal): Command {
  const command = new Command("show")
    .description("Shows one rejected message with every problem.")
    .argument("<id>", 'from "rejects list", or how it begins')
    .action((rejectionId: string, flags: LookFlags) =>
      look(terminal, flags, (looking) => showReject(looking, rejectionId)),
    );
  return lookOptions(command).addOption(reportOption());
}

async function showReject({ service, report }: Looking, rejectionId: string): Promise<void> {
  const reject: RejectAnswer = await withWholeId(
    rejectionId,
    (whole) => service.ask("reject", { params: { rejectionId: whole } }),
    () => rejectionIds(service),
  );
  const { rejection, message } = reject;
  report({ ...rejection, message }, (page) => rejectionOn(page, reject));
}

const mostLookedThrough = 1_000;

async function rejectionIds(service: Service): Promise<readonly string[]> {
  const { rejections } = await service.ask("rejects", { query: { limit: mostLookedThrough } });
  return rejections.map(({ rejectionId }) => rejectionId);
}

interface ReplayFlags extends ServiceFlags {
  readonly file?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly by?: string;
}

function rejectsReplayCommand(terminal: Terminal): Command {
  const command = new Command("replay")
    .description("Checks a rejected message and sends it again.")
    .argument("<id>", 'from "rejects list", or how it begins')
    .option("--file <file>", "posts this fixed demand message in its place")
    .addOption(dryRunOption())
    .option("--yes", "skips the question")
    .addOption(byOption())
    .action((rejectionId: string, flags: ReplayFlags) => replayReject(terminal, rejectionId, flags));
  return serviceOrStorageOptions(command);
}

async function replayReject(terminal: Terminal, rejectionId: string, flags: ReplayFlags): Promise<void> {
  const message = flags.file === undefined ? undefined : await readText(flags.file, terminal);
  const { service } = await reach(flags);
  const ask = async (dryRun: boolean): Promise<string> => {
    const { by } = requestOf(flags, "rejects replay");
    const body = { by, dryRun, ...(message !== undefined && { message }) };
    const { summary } = await withWholeId(
      rejectionId,
      (whole) => service.ask("replay-reject", { params: { rejectionId: whole }, body }),
      () => rejectionIds(service),
    );
    return `${printable(summary)}\n`;
  };
  if (flags.dryRun === true || flags.yes !== true) terminal.stdout.write(await ask(true));
  if (flags.dryRun === true) return;
  if (flags.yes !== true && !(await confirm(terminal, "Do it?")))
    throw new CommandFailure("Nothing was sent.", "Answer y, or give --yes.");
  terminal.stdout.write(await ask(false));
}

/** One rejection: its facts, every problem, the message. */
function rejectionOn(page: Page, { rejection, message }: RejectAnswer): void {
  page.facts([
    ["rejection", rejection.rejectionId],
    ["kind", rejection.kind],
    ["cluster", rejection.cluster ?? "not configured"],
    ["source", rejection.source ?? "not named"],
    ["queue", rejection.queue],
    ["received", moment(rejection.receivedAtSeconds)],
    ["deliveries", rejection.attempts === undefined ? "not known" : `${rejection.attempts}`],
    ["replayed", rejection.replayedAtSeconds === undefined ? "no" : moment(rejection.replayedAtSeconds)],
  ]);
  page.line("problems");
  page.bullets(rejection.problems);
  page.line(message === null ? "message (too large to be kept; its start)" : "message");
  const json = message === null ? undefined : jsonOr(message);
  // As it came: lines of a screen's width could not be copied.
  const lines = (message ?? rejection.excerpt).split("\n").map(printable);
  page.verbatim(json === undefined ? `${lines.join("\n")}\n` : prettyJson(json));
}
