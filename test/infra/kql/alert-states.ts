import { readFileSync } from "node:fs";
import { join } from "node:path";
import { evaluate } from "./evaluate.ts";
import { queriesInBicep } from "./find-queries.ts";
import type { RecordedFleet } from "./recorded.ts";
import { text } from "./values.ts";

const path = "infra/modules/alerts.bicep";
const source = readFileSync(join(import.meta.dirname, "../../..", path), "utf8");
const minutesOf = (setting: string) => {
  const [, count, unit] =
    new RegExp(`^ +${setting}: 'P(?:T(?=.*[HM]))?(\\d+)([DHM])'$`, "m").exec(source) ?? [];
  const minutes = { D: 24 * 60, H: 60, M: 1 }[unit ?? ""];
  if (minutes === undefined) throw new Error(`Cannot read "${setting}" in ${path}`);
  return Number(count) * minutes;
};
export const everyMinutes = minutesOf("evaluationFrequency");
const windowMinutes = minutesOf("windowSize");
export const rangeMinutes = minutesOf("overrideQueryTimeRange");

/** Every rule, with the columns whose values have alerts of their own. */
export const alertRules = queriesInBicep(path).map(({ name, text: query }) => {
  const rule = name.split(": ")[1] ?? name;
  const [, columns = ""] =
    new RegExp(`name: '${rule}'\\n(?:.+\\n)+? +dimensions: \\[(.*)\\]`).exec(source) ?? [];
  return {
    rule,
    query,
    columns: [...columns.matchAll(/by(\w+)/g)].map(([, column = ""]) => column.toLowerCase()),
  };
});

/** An alert rings for a rule and the values of its columns, and is over after so many evaluations that found nothing. */
export const quietEvaluations = 3;

export interface Mail {
  readonly minute: number;
  /** The rule, and the values of its columns. */
  readonly alert: readonly string[];
  readonly isOver: boolean;
}

/** What a mailbox gets of a fleet: every alert when it begins and when it is over. */
export async function mailsOf(
  fleet: RecordedFleet,
  minutes: number,
  happens: (minute: number) => Promise<unknown>,
): Promise<readonly Mail[]> {
  const mails: Mail[] = [];
  const tell = (minute: number, alert: string, isOver: boolean) =>
    mails.push({ minute, alert: JSON.parse(alert) as string[], isOver });
  const quiet = new Map<string, number>();
  for (let minute = 0; minute <= minutes; minute += 1) {
    await happens(minute);
    await fleet.minute();
    if (minute % everyMinutes !== 0) continue;
    const ringing = ringingNow(fleet);
    for (const alert of ringing) {
      if (!quiet.has(alert)) tell(minute, alert, false);
      quiet.set(alert, 0);
    }
    for (const [alert, evaluations] of quiet)
      if (!ringing.has(alert)) {
        quiet.set(alert, evaluations + 1);
        if (evaluations + 1 < quietEvaluations) continue;
        quiet.delete(alert);
        tell(minute, alert, true);
      }
  }
  return mails;
}

function ringingNow(fleet: RecordedFleet): ReadonlySet<string> {
  const database = fleet.database();
  const windowStart = database.now.getTime() - windowMinutes * 60_000;
  return new Set(
    alertRules.flatMap(({ rule, query, columns }) =>
      evaluate(query, database)
        // Azure counts rows by their time where they have one.
        .filter(({ TimeGenerated: at }) => !(at instanceof Date) || at.getTime() >= windowStart)
        .map((row) => JSON.stringify([rule, ...columns.map((column) => text(row[column] ?? null))])),
    ),
  );
}
