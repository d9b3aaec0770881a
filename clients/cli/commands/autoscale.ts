import { Command, Option } from "commander";
import type { AutoscaleAnswer } from "../../../shared/api/index.ts";
import { duration, exactDuration } from "../../../shared/text/durations.ts";
import { counted } from "../../../shared/text/text.ts";
import { byOption, dryRunOption, requestOf } from "../act/act-options.ts";
import { CommandFailure } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import { decidedOn, reasonsOf } from "../output/decided.ts";
import { note } from "../output/note.ts";
import { reportOption } from "../output/output-options.ts";
import type { Format } from "../output/output-settings.ts";
import { prettyJson, warn } from "../output/print.ts";
import { type Page, pageOn } from "../output/report.ts";
import { readJson } from "../read-text.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { wholeSecondsOption } from "../time-values.ts";

const usualSeconds = 300;

interface Flags extends ServiceFlags {
  readonly name?: string;
  readonly corecount?: number;
  readonly gpucount?: number;
  readonly instancecount?: number;
  readonly file?: string;
  readonly requestSet: string;
  readonly expirationInterval: number;
  readonly by?: string;
  readonly dryRun?: true;
  readonly format?: Format;
}

export function autoscaleCommand(terminal: Terminal): Command {
  const command: Command = new Command("autoscale")
    .description("Sets how many nodes of which node arrays there should be for a while, whatever jobs need.")
    .option("-n, --name <array>", "the node array; with --corecount, --gpucount or --instancecount")
    .addOption(
      new Option("--corecount <number>", "that many cores of it")
        .argParser(amount)
        .conflicts(["gpucount", "instancecount"]),
    )
    .addOption(
      new Option("--gpucount <number>", "that many GPUs of it").argParser(amount).conflicts("instancecount"),
    )
    .option("-i, --instancecount <number>", "that many nodes of it", amount)
    .addOption(
      new Option(
        "-f, --file <file>",
        "a JSON list of node array definitions: everything that the request set wants now",
      ).conflicts(["name", "corecount", "gpucount", "instancecount"]),
    )
    .option("--request-set <name>", "replaces the last request of this set", "standard")
    .addOption(
      new Option("--expiration-interval <length>", "how long it holds without a new request")
        .argParser(wholeSecondsOption(1))
        .default(usualSeconds, duration(usualSeconds)),
    )
    .addOption(byOption())
    .addOption(dryRunOption())
    .addOption(reportOption())
    .action((flags: Flags) => {
      const { name, corecount, gpucount, instancecount, file } = flags;
      const hasCount = (corecount ?? gpucount ?? instancecount) !== undefined;
      if (file === undefined && (name === undefined || !hasCount))
        return command.error(
          "error: expected --name with --corecount, --gpucount or --instancecount, or --file",
        );
      return autoscale(terminal, flags);
    });
  return serviceOptions(command);
}

/** 0 releases what the set held. */
const amount = wholeNumber(0);

async function autoscale(terminal: Terminal, flags: Flags): Promise<void> {
  const body = await arraysOf(flags);
  const { service } = await reach(flags);
  const { requestSet, expirationInterval } = flags;
  const dryRun = flags.dryRun === true;
  const query = {
    request_set: requestSet,
    expiration_interval: expirationInterval,
    dry_run: dryRun || undefined,
    by: requestOf(flags, "autoscale").by,
  };
  const answer: AutoscaleAnswer = await service.ask("autoscale", { query, body });
  if (flags.format === "json") terminal.stdout.write(prettyJson(answer));
  else answerOn(terminal, answer);
  warn(terminal, `request set "${requestSet}"`, answer.warnings);
  if (answer.warnings.length === 0) return;
  if (dryRun)
    throw new CommandFailure(
      "The cluster does not have everything that is asked for",
      "Fix these names, or run it without --dry-run if they will be added later.",
    );
  note(
    terminal,
    `The request replaces the set's earlier one, and is met when the cluster has these. If a name is misspelt, send the request again: the newest counts.`,
  );
}

async function arraysOf({ name, corecount, gpucount, instancecount, file }: Flags): Promise<unknown> {
  if (file !== undefined)
    return readJson(file, `Give a JSON list such as '[{"Name": "execute", "TargetCoreCount": 128}]'.`);
  return [{ Name: name, TargetCoreCount: corecount, TargetGpuCount: gpucount, TargetCount: instancecount }];
}

function answerOn(terminal: Terminal, answer: AutoscaleAnswer): void {
  const { requestSet, atSeconds, expiresAtSeconds, targets, forecast } = answer;
  const page = pageOn(terminal);
  const seconds = Math.round(expiresAtSeconds - atSeconds);
  const holds = forecast === undefined ? "holds" : "would hold";
  if (targets.length === 0) page.line(emptied(answer));
  else page.line(`Request set "${requestSet}" ${holds} for ${exactDuration(seconds)}:`);
  if (targets.length > 0)
    page.table(
      ["ARRAY", "WANTED", "VM SIZES"],
      targets.map(({ name, unit, asked, groupSize, vmSizes }) => {
        const each = groupSize === null ? "" : ` of ${groupSize.count} ${groupSize.kind}`;
        return [name, `${asked} ${unit}${each}`, vmSizes.length === 0 ? "any" : vmSizes.join(", ")];
      }),
    );
  if (forecast !== undefined) forecastOn(page, forecast, atSeconds);
}

function emptied({ requestSet, forecast }: AutoscaleAnswer): string {
  const wants = forecast === undefined ? "wants" : "would want";
  return `Request set "${requestSet}" ${wants} nothing: nodes without other demand may be deleted.`;
}

function forecastOn(page: Page, forecast: NonNullable<AutoscaleAnswer["forecast"]>, atSeconds: number): void {
  const { met, more, held } = forecast;
  page.line("");
  page.line(`Would create ${counted(more.create, "more nodes")} and start ${more.start} more.`);
  decidedOn(page, forecast, { nowSeconds: atSeconds });
  const unmet = met.filter(({ asked, granted }) => granted < asked);
  if (unmet.length > 0) page.title("Not met");
  for (const { name, asked, granted, unit, why } of unmet) {
    page.line(`${name}: ${granted} of ${asked} ${unit}`);
    page.bullets(reasonsOf(why));
  }
  if (held === null) return;
  page.line("");
  page.warning(`Nothing would be sent: ${held}.`);
}
