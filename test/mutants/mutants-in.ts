export interface Mutant {
  readonly line: number;
  readonly change: string;
  readonly apply: (text: string) => string;
}

/** Each operator, and what stands in its place. With spaces around it, as the formatter puts them: `<` of a type has none. */
const swaps: readonly (readonly [from: string, to: string])[] = [
  [" && ", " || "],
  [" || ", " && "],
  [" === ", " !== "],
  [" !== ", " === "],
  [" < ", " <= "],
  [" <= ", " < "],
  [" > ", " >= "],
  [" >= ", " > "],
  [" + ", " - "],
  [" - ", " + "],
  [" * ", " / "],
  [" / ", " * "],
  [" += ", " -= "],
  [" -= ", " += "],
  ["Math.min(", "Math.max("],
  ["Math.max(", "Math.min("],
  [" ?? ", " && "],
  ["return true", "return false"],
  ["return false", "return true"],
];

/** All mutants of a text that is formatted as ours; none in comments, imports, types and text. */
export function mutantsIn(text: string): readonly Mutant[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (/^\s*(\*|\/\/|\/\*|import |export type |export interface |readonly |\| )/.test(line)) return [];
    const code = line.replaceAll(/"[^"]*"|`[^`]*`|\/\/.*$/g, (hidden) => "\0".repeat(hidden.length));
    const mutant = (at: number, from: string, to: string): Mutant => ({
      line: index + 1,
      change: `${from.trim()} → ${to.trim()} in ${line.trim()}`,
      apply: (whole) => {
        const all = whole.split("\n");
        all[index] = line.slice(0, at) + to + line.slice(at + from.length);
        return all.join("\n");
      },
    });
    const operators = swaps.flatMap(([from, to]) => placesOf(code, from).map((at) => mutant(at, from, to)));
    const numbers = [...code.matchAll(/(?<![\w.[])\d[\d_]*(?![\w.\]])/g)].map((match) =>
      mutant(match.index, match[0], String(Number(match[0].replaceAll("_", "")) + 1)),
    );
    return [...operators, ...numbers];
  });
}

function placesOf(code: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = code.indexOf(part); at >= 0; at = code.indexOf(part, at + 1)) places.push(at);
  return places;
}
