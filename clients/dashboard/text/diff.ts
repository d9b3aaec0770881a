import { diffArrays } from "diff";
import { isDictionary } from "../../../shared/json/json.ts";

/** A line of two texts: in both, or in one of them. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Beyond so many different lines the texts have too little in common to show it line by line. */
const mostDifferent = 2_000;

/** The fewest lines that go and come. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const signed = (sign: DiffLine["sign"], lines: readonly string[]) =>
    lines.map((text): DiffLine => ({ sign, text }));
  const parts = diffArrays(a, b, { maxEditLength: mostDifferent });
  if (parts === undefined) return [...signed("-", a), ...signed("+", b)];
  return parts.flatMap(({ value, added, removed }) => signed(added ? "+" : removed ? "-" : " ", value));
}

/** A value as lines, in which neither the order of keys nor a comma behind the last one makes a difference. */
export function inOrder(value: unknown): string {
  const json = JSON.stringify(value, (_, member) => (isDictionary(member) ? sorted(member) : member), 2);
  return json.replaceAll(/,$/gm, "");
}

function sorted(members: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
