import { Command } from "commander";
import type { ValidateConstraintAnswer } from "../../../shared/api/index.ts";
import { CommandFailure } from "../exit-code.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { type AllFlags, allOption } from "../output/alike.ts";
import { bucketName, refusalRows } from "../output/explanation.ts";
import { reportOption } from "../output/output-options.ts";
import { listed } from "../output/print.ts";
import type { Page } from "../output/report.ts";
import { readConstraints, type SelectionFlags, selectionOptions, toSelection } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags & AllFlags;

export function validateConstraintCommand(terminal: Terminal): Command {
  const command = new Command("validate-constraint")
    .description("Shows how constraints are understood, and which buckets and nodes satisfy them.")
    .argument(
      "<expression...>",
      "such as 'node.vm_size=Standard_F*', 'ncpus=4' or JSON; all of them must hold",
    )
    .action((expressions: readonly string[], flags: Flags) =>
      look(terminal, flags, (looking) => showConstraint(looking, expressions, flags)),
    );
  return selectionOptions(lookOptions(command)).addOption(allOption("the buckets")).addOption(reportOption());
}

async function showConstraint(
  { service, report }: Looking,
  expressions: readonly string[],
  flags: Flags,
): Promise<void> {
  const read = expressions.map(readConstraints);
  const problems = read.flatMap((each) => (each.ok ? [] : each.problems));
  if (problems.length > 0) throw unreadable(problems);
  const constraints = read.flatMap((each) => (each.ok ? each.constraints : []));
  const answer = await service.ask("validate-constraint", {
    body: { constraints, nodes: toSelection(flags) },
  });
  if (!answer.ok) throw unreadable(answer.problems.map(({ message }) => message));
  report(answer, (page) => constraintOn(page, answer, flags.all === true));
}

function unreadable(problems: readonly string[]): CommandFailure {
  return new CommandFailure(
    listed("Cannot use the constraints:", problems),
    "Fix these problems, then try again.",
  );
}

/** Those that fit first: they are what is looked for. */
function bucketRows(
  buckets: ValidateConstraintAnswer["buckets"],
  isAll: boolean,
): readonly (readonly string[])[] {
  const fitting = buckets.filter(({ fits }) => fits);
  const refused = refusalRows(
    buckets.flatMap(({ refusals }) => refusals),
    isAll,
  );
  return [
    ...fitting.map((bucket) => [bucketName(bucket), "yes", "-", "-", "-"]),
    ...refused.map(([name = "", ...why]) => [name, "no", ...why.slice(0, 3)]),
  ];
}

function constraintOn(page: Page, answer: ValidateConstraintAnswer, isAll: boolean): void {
  const { parsed, buckets, matchingNodes, matchingNodeCount } = answer;
  page.line("Understood as");
  page.bullets(parsed);
  page.title("Buckets");
  if (buckets.length === 0) page.line("none");
  else page.table(["BUCKET", "FITS", "REFUSED BY", "ASKED", "HAS"], bucketRows(buckets, isAll));
  page.title(`Nodes that match: ${matchingNodeCount}`);
  if (matchingNodeCount > 0)
    page.line(matchingNodes.join(", ") + (matchingNodeCount > matchingNodes.length ? ", …" : ""));
}
