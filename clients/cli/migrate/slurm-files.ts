/** A line of a file of Slurm: `Key=value` pairs, those of one line together. */
export type SlurmLine = Readonly<Record<string, string>>;

/** Lines with their keys in lower case, as Slurm reads them: comments end a line, a backslash continues it. */
export function readSlurmLines(text: string): readonly SlurmLine[] {
  return text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.replace(/(?<!\\)#.*$/, "").trim())
    .filter((line) => line.includes("="))
    .map((line) =>
      Object.fromEntries(
        [...line.matchAll(/([A-Za-z]\w*)\+?=("[^"]*"|\S+)/g)].map(([, key = "", value = ""]) => [
          key.toLowerCase(),
          value.replaceAll('"', ""),
        ]),
      ),
    );
}

/** The last value of a key that stands alone, as Slurm takes it. */
export function lastOf(lines: readonly SlurmLine[], key: string): string | undefined {
  return lines.findLast((line) => Object.keys(line)[0] === key)?.[key];
}

export function linesOf(lines: readonly SlurmLine[], key: string): readonly SlurmLine[] {
  return lines.filter((line) => Object.keys(line)[0] === key && line[key]?.toLowerCase() !== "default");
}
