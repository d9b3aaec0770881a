import { readPbsJson } from "../../clients/agent/drivers/pbs/pbs-json.ts";
import { expandHostlist } from "../../clients/agent/drivers/slurm/hostlist.ts";
import { parseSwf } from "../../shared/backtest/index.ts";
import { matchesWildcard } from "../../shared/engine/index.ts";
import { decodeQueueText } from "../../shared/messages/index.ts";
import { parseDuration } from "../../shared/text/durations.ts";
import { redactText } from "../../shared/text/redact.ts";
import { printable, printableCut } from "../../shared/text/text.ts";

/** What reads texts of any length from outside, as a whole: loops and string methods can be slow, too. */
export const readers: Readonly<Record<string, (text: string) => unknown>> = {
  redactText: (text) => redactText(text, ["s3cret"]),
  decodeQueueText,
  expandHostlist,
  readPbsJson: (text) => readPbsJson(`{\n    "Jobs":{\n${text}\n    }\n}`, "Jobs"),
  printable,
  printableCut: (text) => printableCut(text, 300),
  "matchesWildcard, text": (text) => matchesWildcard(`${"a*".repeat(200)}b`, text),
  "matchesWildcard, pattern": (text) => matchesWildcard(`*${text}`, "[".repeat(300)),
  parseDuration: (text) => parseDuration(text, { isPlain: true }),
  parseSwf: refusing(parseSwf),
};

/** What each of them may stumble over, besides signs. */
export const pieces: readonly string[] = [
  ..."eyJ -eyJ eyJ00000000. F- AzFu- {[ [1] [1-9] n[1], [[ ]] ://a: ://a:b@ ?sig= A= Pwd= AccountKey= && 1s 1. 5w4d".split(
    " ",
  ),
  ..."Bearer |AccountKey |-----BEGIN |-----BEGIN PRIVATE KEY-----|PRIVATE KEY-----|\u001b|\n|é|😀|1 1 ".split(
    "|",
  ),
  // A job of PBS whose texts are not escaped.
  '        "7.pbs":{\n            "Job_Name":"a "quoted" name"\n        },\n',
];

function refusing(read: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      // Refused, as such texts should be; out of stack is a mistake.
      if (error instanceof RangeError) throw error;
      return undefined;
    }
  };
}
