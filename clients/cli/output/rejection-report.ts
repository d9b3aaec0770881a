import type { RejectAnswer, RejectionView } from "../../../shared/api/index.ts";
import { printable } from "../../../shared/text.ts";
import { moment } from "./moments.ts";

const indent = 2;

/** All that is known of one rejection: its facts, every problem, the message. */
export function rejectionReport({ rejection, message }: RejectAnswer): string {
  const facts: readonly (readonly [string, string])[] = [
    ["rejection", rejection.rejectionId],
    ["kind", rejection.kind],
    ["cluster", rejection.cluster ?? "none that is configured"],
    ["source", rejection.source ?? "not said"],
    ["queue", rejection.queue],
    ["received", moment(rejection.receivedAtSeconds)],
    ["deliveries", rejection.attempts === undefined ? "not known" : `${rejection.attempts}`],
    ["replayed", rejection.replayedAtSeconds === undefined ? "no" : moment(rejection.replayedAtSeconds)],
  ];
  const lines = [
    ...facts.map(([name, value]) => `${name.padEnd("deliveries".length)}  ${value}`),
    "problems",
    ...rejection.problems.map((problem) => `  - ${problem}`),
    ...messageLines(rejection, message),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

function messageLines(rejection: RejectionView, body: string | null): readonly string[] {
  if (body === null) return ["message (too large to be kept; its start)", rejection.excerpt];
  return ["message", ...indented(body).split("\n")];
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, indent);
  } catch {
    return body;
  }
}
