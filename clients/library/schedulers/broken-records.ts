import { jsonOr } from "../../../shared/json/json.ts";
import type { Answers } from "../../agent/drivers/driver.ts";

/** What somebody, or a mistake, may put in the place of a value. */
export const brokenValues: readonly unknown[] = [
  null,
  -7,
  1e300,
  "",
  "x".repeat(70_000),
  "\u0000\u001b[2J\u202e|/",
  [],
  [null],
  {},
  { length: { toString: 1, valueOf: 1 } },
];

/** The answers of a situation in which one record of something that runs is broken. */
export interface BrokenAnswers {
  readonly what: string;
  readonly answers: Answers;
}

type Place = readonly (string | number)[];

/** A copy of a JSON value with another value in one place. */
export function withBroken(json: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(json))
    return json.map((each, index) => (index === step ? withBroken(each, rest, value) : each));
  const inner = json as Readonly<Record<string, unknown>>;
  return { ...inner, [step]: withBroken(inner[step], rest, value) };
}

/** Every place in a JSON value, itself included. */
export function placesIn(json: unknown, at: Place = []): readonly Place[] {
  if (typeof json !== "object" || json === null) return [at];
  const inner = Object.entries(json).flatMap(([key, value]) =>
    placesIn(value, [...at, Array.isArray(json) ? Number(key) : key]),
  );
  return [at, ...inner];
}

/**
 * Each record of a JSON answer broken in each of its places, one at a time.
 * `without`: fields without which nobody can tell where it runs.
 */
export function brokenJson(
  answers: Answers,
  read: string,
  {
    records,
    without,
  }: { readonly records: (json: unknown) => readonly Place[]; readonly without: readonly string[] },
): readonly BrokenAnswers[] {
  const { text = "", exitCode = 0 } = answers[read] ?? {};
  // What an application prints while it is imported stands before the answer.
  const lines = text.trimEnd().split("\n");
  const json: unknown = jsonOr(text) ?? jsonOr(lines.at(-1) ?? "");
  if (json === undefined) return [];
  const before = jsonOr(text) === undefined ? `${lines.slice(0, -1).join("\n")}\n` : "";
  return records(json).flatMap((record) =>
    placesIn(recordAt(json, record), record)
      .filter((place) => !place.slice(record.length).some((step) => without.includes(String(step))))
      // A record that is gone as a whole tells no host, unless that stands elsewhere.
      .filter((place) => without.length === 0 || place.length > record.length)
      .map((place, index) => {
        // Each place gets one of them, and over all places each of them comes.
        const value = brokenValues[(index + record.length) % brokenValues.length];
        const text = `${before}${JSON.stringify(withBroken(json, place, value))}`;
        const what = `${read}: ${place.join(".")} is ${JSON.stringify(value).slice(0, 40)}`;
        return { what, answers: { ...answers, [read]: { text, exitCode } } };
      }),
  );
}

function recordAt(json: unknown, place: Place): unknown {
  return place.reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], json);
}

/** Each line of something that runs broken in each of its columns, where a scheduler prints columns between tabs. */
export function brokenColumns(
  answers: Answers,
  read: string,
  {
    isRunning,
    without,
  }: { readonly isRunning: (row: readonly string[]) => boolean; readonly without: readonly number[] },
): readonly BrokenAnswers[] {
  const { text = "", exitCode = 0 } = answers[read] ?? {};
  const lines = text.split("\n");
  const broken = ["", "-7", "1e300", "x".repeat(70_000), "\u0000\u001b[2J\u202e|/", "null", "0x10"];
  return lines.flatMap((line, index) => {
    const row = line.split("\t");
    if (!isRunning(row)) return [];
    return row.flatMap((_, column) =>
      without.includes(column)
        ? []
        : broken.map((value) => ({
            what: `${read}: column ${column} of line ${index} is ${value.slice(0, 40)}`,
            answers: {
              ...answers,
              [read]: { text: lines.with(index, row.with(column, value).join("\t")).join("\n"), exitCode },
            },
          })),
    );
  });
}
