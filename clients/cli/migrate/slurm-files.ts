/** A line of a file of Slurm: `Key=value` pairs, those of one line together. */
export type SlurmLine = Readonly<Record<string, string>>;

/** Lines with their keys in lower case, as Slurm reads them: comments end a line, a backslash continues it. */
export function readSlurmLines(text: string): readonly SlurmLine[] {
  return text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => withoutComment(line).trim())
    .filter((line) => line.includes("="))
    .map((line) =>
      Object.fromEntries(
        [...line.matchAll(/(?<!\w)([A-Za-z]\w{0,63})\+?=("[^"]*"|\S+)/g)].map(([, key = "", value = ""]) => [
          key.toLowerCase(),
          value.replaceAll('"', ""),
        ]),
      ),
    );
}

function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1))
    if (line[at - 1] !== "\\") return line.slice(0, at);
  return line;
}

/** The last value of a key that stands alone, as Slurm takes it. */
export function lastOf(lines: readonly SlurmLine[], key: string): string | undefined {
  return lines.findLast((line) => Object.keys(line)[0] === key)?.[key];
}

export function linesOf(lines: readonly SlurmLine[], key: string): readonly SlurmLine[] {
  return lines.filter((line) => Object.keys(line)[0] === key && line[key]?.toLowerCase() !== "default");
}
