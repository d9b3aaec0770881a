import { setTimeout as sleep } from "node:timers/promises";
import type { ActionAnswer, OperationView } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { counted } from "../../../shared/text/text.ts";
import { CommandFailure, Refused } from "../exit-code.ts";
import { nameRanges } from "../output/name-ranges.ts";
import { listed, prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { reach } from "../service/reach.ts";
import type { Service } from "../service/service.ts";
import { confirm, progressOn, type Terminal } from "../terminal.ts";
import { type ActFlags, requestOf } from "./act-options.ts";

export interface Wanted {
  readonly name: string;
  /** The body of `POST …/actions`, apart from who asks and why. */
  readonly body: Readonly<Record<string, unknown>> & { readonly kind: string };
  /** The question after the preview of the action; null: no question. */
  readonly question: string | null;
  /** What to do next if the answer to a refusal names no next step. */
  readonly nextWhenRefused?: string;
}

async function asked(service: Service, body: object, { nextWhenRefused }: Wanted): Promise<ActionAnswer> {
  try {
    return await service.ask("actions", { body });
  } catch (error) {
    if (error instanceof Refused && nextWhenRefused !== undefined)
      throw new Refused(error.message, nextWhenRefused);
    throw error;
  }
}

export async function act(terminal: Terminal, flags: ActFlags, wanted: Wanted): Promise<void> {
  const { service } = await reach(flags);
  const body = { ...wanted.body, ...requestOf(flags, wanted.name) };
  if (wanted.question !== null && flags.yes !== true && flags.dryRun !== true) {
    const would = await asked(service, { ...body, dryRun: true }, wanted);
    if (would.outcome !== "would") return show(terminal, flags, would);
    answerOn(terminal, would);
    if (!(await confirm(terminal, wanted.question)))
      throw new CommandFailure("Nothing was done.", "Answer y, or give --yes.");
  }
  const answer = await asked(service, body, wanted);
  if (flags.wait === undefined || answer.outcome !== "requested") return show(terminal, flags, answer);
  answerOn(terminal, answer);
  await followActions(terminal, service, { answer, wait: flags.wait });
  failWhenRefused(answer);
}

/** Prints an answer. Throws CommandFailure for a refusal, even of one node. */
export function show(terminal: Terminal, { format }: Pick<ActFlags, "format">, answer: ActionAnswer): void {
  if (format === "json") terminal.stdout.write(prettyJson(answer));
  else answerOn(terminal, answer);
  if (answer.outcome === "refused")
    throw new CommandFailure(
      listed("Refused:", answer.problems),
      answer.skipped.length > 0 ? nextAboutNodes : "Fix that, then try again.",
    );
  failWhenRefused(answer);
}

const mostRefused = 8;
const nextAboutNodes = "The list above shows what to do about each node.";

/** Nodes that are already as asked do not count as refused. */
function failWhenRefused({ actions, skipped, problems }: ActionAnswer): void {
  if (problems.length > 0)
    throw new CommandFailure(listed("Not everything was requested:", problems), "Request the rest again.");
  const refused = skipped.filter((node) => node.refused);
  if (refused.length === 0) return;
  const selected = actions.reduce((sum, { nodes }) => sum + nodes.length, skipped.length);
  const title = `Refused for ${refused.length} of ${counted(selected, "nodes")}:`;
  const lines = refused.map(({ node, why }) => `${node}: ${why}`);
  throw new CommandFailure(listed(title, lines, mostRefused), nextAboutNodes);
}

function answerOn(terminal: Terminal, { outcome, summary, actions, skipped }: ActionAnswer): void {
  const page = pageOn(terminal);
  // A refusal and its reasons go to stderr, see `show`.
  if (outcome !== "refused") page.line(summary);
  for (const { actionId, kind, nodes, create } of actions) {
    for (const { count, vmSize, nodeArray, placementGroup, names } of create)
      page.line(
        `  create ${count} ${vmSize} of ${nodeArray}${placementGroup === null ? "" : ` in ${placementGroup}`}: ${nameRanges(names)}`,
      );
    if (nodes.length > 0) page.line(`  ${kind} ${nameRanges(nodes.map(({ name }) => name))}`);
    if (actionId !== null) page.line(`  operation ${actionId}`);
  }
  if (skipped.length === 0) return;
  page.title("Left alone");
  page.table(
    ["NODE", "WHY", "WHAT TO DO"],
    skipped.map(({ node, why, next }) => [node, why, next]),
  );
}

const usualSeconds = 900;
const everySeconds = 2;

const underWay: readonly OperationView["state"][] = ["planned", "sent", "accepted"];

/** Waits until every action of an answer is closed. Throws CommandFailure if one failed, or after `wait` seconds. */
async function followActions(
  terminal: Terminal,
  service: Service,
  { answer, wait }: { readonly answer: ActionAnswer; readonly wait: number | true },
): Promise<void> {
  const actionIds = answer.actions.flatMap(({ actionId }) => (actionId === null ? [] : [actionId]));
  const seconds = wait === true ? usualSeconds : wait;
  const startedAt = performance.now();
  const progress = await progressOn(terminal);
  try {
    for (;;) {
      const operations = await Promise.all(
        actionIds.map((actionId) => service.ask("operation", { params: { actionId } })),
      );
      const open = operations.filter(({ state }) => underWay.includes(state));
      const waited = (performance.now() - startedAt) / 1000;
      progress.report(
        `${operations.map(({ kind, state }) => `${kind} ${state}`).join(", ")} (${duration(waited)})`,
      );
      if (open.length === 0) return closed(terminal, operations);
      if (waited > seconds)
        throw new CommandFailure(
          `Not done after ${duration(seconds)}: ${open.map(({ actionId, state }) => `${actionId} is ${state}`).join(", ")}`,
          'It continues in the service; "ccscale operations" shows its state.',
        );
      await sleep(Math.min(everySeconds, seconds) * 1000);
    }
  } finally {
    progress.end();
  }
}

function closed(terminal: Terminal, operations: readonly OperationView[]): void {
  const bad = operations.filter(({ state }) => state !== "visible");
  for (const { kind, actionId, state } of operations)
    terminal.stdout.write(`${kind} ${actionId}: ${state}\n`);
  if (bad.length === 0) return;
  const words = bad.map(({ kind, state, messages }) => `${kind} ${state}: ${messages.join("; ")}`);
  throw new CommandFailure(
    listed("Not everything was done:", words),
    'Fix that and try again; "ccscale operations" has the record.',
  );
}
