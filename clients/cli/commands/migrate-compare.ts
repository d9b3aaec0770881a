import { Command } from "commander";
import { counted } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { type ComparedHour, Comparison } from "../migrate/compare.ts";
import { moment } from "../output/moments.ts";
import { reportOption } from "../output/output-options.ts";
import type { OutputSettings } from "../output/output-settings.ts";
import { prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { plansOf, wholePlan } from "../scenario/archived-plan.ts";
import { reach } from "../service/reach.ts";
import type { Service } from "../service/service.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "../service/service-options.ts";
import { progressOn, type Terminal } from "../terminal.ts";
import { lengthOption } from "../time-values.ts";

interface Flags extends ServiceFlags {
  readonly since?: number;
  readonly format?: OutputSettings["format"];
}

const plansAtOnce = 8;

const usualSeconds = 86_400;

interface Compared {
  readonly cluster: string;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  /** Plans that were compared; those that are not archived whole; those that were sent, so that both sides are ours. */
  readonly plans: number;
  readonly notWhole: number;
  readonly sent: number;
  readonly total: Omit<ComparedHour, "atSeconds" | "reasons">;
  readonly hours: readonly ComparedHour[];
}

export function compareCommand(terminal: Terminal): Command {
  const command = new Command("compare")
    .description(
      "Lists by hour what another autoscaler did while this cluster was read-only or paused here (THEY: nodes that came and went) and what was planned meanwhile (WE), and why they differ. NODES, USD: what we would have had, and paid, more on average of the hour. A decision that the other takes within ten minutes is the same. Every plan starts from the nodes that they left.",
    )
    .option("--since <length>", "how far back, such as 12h or 7d (default: 1d)", lengthOption)
    .action(async (flags: Flags) => {
      const { service, settings } = await reach(flags);
      const compared = await compare(terminal, service, flags.since ?? usualSeconds);
      if ((flags.format ?? settings.format) === "json") terminal.stdout.write(prettyJson(compared));
      else print(terminal, compared);
    });
  return serviceOrFilesOptions(command).addOption(reportOption());
}

async function compare(terminal: Terminal, service: Service, spanSeconds: number): Promise<Compared> {
  const { plans, atSeconds: untilSeconds } = await plansOf(service, spanSeconds);
  const progress = await progressOn(terminal);
  const comparison = new Comparison();
  const read = { plans: 0, notWhole: 0, sent: 0 };
  try {
    for (let index = 0; index < plans.length; index += plansAtOnce) {
      progress.report(`plan ${index + 1} of ${plans.length}`);
      const some = plans.slice(index, index + plansAtOnce);
      const loaded = await Promise.all(
        some.map(({ planId, held }) => (held === undefined ? undefined : wholePlan(service, planId))),
      );
      for (const [place, { held, atSeconds }] of some.entries()) {
        const plan = loaded[place];
        if (held === undefined) comparison.end(atSeconds);
        else if (plan !== undefined) comparison.see(plan);
        read[held === undefined ? "sent" : plan === undefined ? "notWhole" : "plans"] += 1;
      }
    }
  } finally {
    progress.end();
  }
  if (read.plans === 0)
    throw new CommandFailure(
      "Nothing to compare: no plan of that time was made while the cluster was held, and archived whole",
      'Set "read_only" to true while the other autoscaler acts, or name a longer time with --since.',
    );
  comparison.end(untilSeconds);
  const hours = comparison.hours();
  const { cluster } = service;
  return {
    cluster,
    fromSeconds: untilSeconds - spanSeconds,
    untilSeconds,
    ...read,
    total: totalOf(hours),
    hours,
  };
}

/** `moreNodes`: node-hours. */
function totalOf(hours: readonly ComparedHour[]): Compared["total"] {
  const sum = (of: (hour: ComparedHour) => number) => hours.reduce((total, hour) => total + of(hour), 0);
  return {
    they: { created: sum(({ they }) => they.created), deleted: sum(({ they }) => they.deleted) },
    we: { created: sum(({ we }) => we.created), deleted: sum(({ we }) => we.deleted) },
    moreNodes: sum(({ moreNodes }) => moreNodes),
    moreUsd: sum(({ moreUsd }) => moreUsd),
    unpricedNodes: sum(({ unpricedNodes }) => unpricedNodes),
  };
}

function print(terminal: Terminal, { hours, total, plans, notWhole, sent, fromSeconds }: Compared): void {
  const page = pageOn(terminal);
  page.line(`${counted(plans, "plans")} since ${moment(fromSeconds)}.`);
  if (notWhole > 0) page.line(`Left out: ${counted(notWhole, "plans")} that are not archived whole.`);
  if (sent > 0) page.line(`Left out: ${counted(sent, "plans")} that were sent: what they did was ours.`);
  const { they, we, moreNodes, moreUsd } = total;
  const decided = they.created + they.deleted + we.created + we.deleted;
  if (decided === 0) {
    page.line(
      "No differences: neither created nor deleted a node, or only in the last ten minutes, which are not compared yet.",
    );
    return;
  }
  const row = (name: string, of: Compared["total"], why: string) => [
    name,
    `+${of.they.created} -${of.they.deleted}`,
    `+${of.we.created} -${of.we.deleted}`,
    signed(of.moreNodes, 1),
    signed(of.moreUsd, 2),
    why,
  ];
  page.table(
    ["HOUR", "THEY", "WE", "NODES", "USD", "WHY"],
    hours.map((hour) =>
      row(
        moment(hour.atSeconds).slice(0, "2026-11-22T14:00".length),
        hour,
        hour.reasons.map(({ sentence }) => sentence).join("; "),
      ),
    ),
  );
  page.line(
    `All hours: they +${they.created} -${they.deleted}, we +${we.created} -${we.deleted}; we would have had ${signed(moreNodes, 1)} node-hours and paid ${signed(moreUsd, 2)} USD${total.unpricedNodes > 0 ? ", without nodes whose price is not known" : ""}.`,
  );
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "-" : "+"}${text}`;
}
