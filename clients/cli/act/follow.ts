import { setTimeout as sleep } from "node:timers/promises";
import type { ActionAnswer, OperationView } from "../../../shared/api/index.ts";
import { printable } from "../../../shared/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { duration } from "../output/moments.ts";
import { progressOn } from "../progress.ts";
import type { Service } from "../service/service.ts";
import type { Terminal } from "../terminal.ts";

const usualSeconds = 900;
const everySeconds = 2;

const underWay: readonly OperationView["state"][] = ["planned", "sent", "accepted"];

/** Waits until every action of an answer is closed. Throws CommandFailure when one failed, or the time is over. */
export async function followActions(
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
          'It goes on without you; "ccscale operations" tells how far it is.',
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
  const words = bad.map(
    ({ kind, state, messages }) => `  - ${kind} ${state}: ${printable(messages.join("; "))}`,
  );
  throw new CommandFailure(
    ["Not everything was done:", ...words].join("\n"),
    'Ask again once that is mended; "ccscale operations" has the record.',
  );
}
