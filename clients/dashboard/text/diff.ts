import { isDictionary } from "../../../shared/json/json.ts";

/** A line of two texts: in both, or in one of them. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Above this many pairs, lines are not compared: all between the first and last difference is removed and added. */
const mostPairs = 4_000_000;

/** The fewest lines that go and come. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const signed = (sign: DiffLine["sign"], lines: readonly string[]) =>
    lines.map((text): DiffLine => ({ sign, text }));
  return [
    ...signed(" ", a.slice(0, head)),
    ...between(a.slice(head, a.length - tail), b.slice(head, b.length - tail), signed),
    ...signed(" ", a.slice(a.length - tail)),
  ];
}

function between(
  a: readonly string[],
  b: readonly string[],
  signed: (sign: DiffLine["sign"], lines: readonly string[]) => readonly DiffLine[],
): readonly DiffLine[] {
  if (a.length * b.length > mostPairs) return [...signed("-", a), ...signed("+", b)];
  // Longest common parts of what follows each pair of lines.
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [from = "", to = ""] = [a[i], b[j]];
    if (i < a.length && j < b.length && from === to) {
      lines.push({ sign: " ", text: from });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", text: from });
      i += 1;
    } else {
      lines.push({ sign: "+", text: to });
      j += 1;
    }
  }
  return lines;
}

/** A value as lines, in which neither the order of keys nor a comma behind the last one makes a difference. */
export function inOrder(value: unknown): string {
  const json = JSON.stringify(value, (_, member) => (isDictionary(member) ? sorted(member) : member), 2);
  return json.replaceAll(/,$/gm, "");
}

function sorted(members: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
