export interface SlurmPair {
  /** As it is written. */
  readonly key: string;
  /** In lower case, as Slurm reads it. */
  readonly name: string;
  readonly value: string;
}

/** A line of a file of Slurm: a file that it includes, or `Key=value` pairs. */
export interface SlurmLine {
  readonly number: number;
  readonly include?: string;
  readonly pairs: readonly SlurmPair[];
  /** False: something of it is neither. */
  readonly isRead: boolean;
}

const pair = /(?<![\w.])([\w.]{1,64})\s{0,20}[-*+/]?=\s{0,20}("[^"]*"|[^\s"]+)/g;

/** Lines as Slurm reads them: comments end a line, a backslash continues it. Those that say nothing are left out. */
export function readSlurmLines(text: string): readonly SlurmLine[] {
  const lines: SlurmLine[] = [];
  let open = "";
  let number = 1;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (open === "") number = index + 1;
    if (line.endsWith("\\")) {
      open += `${line.slice(0, -1)} `;
      continue;
    }
    const whole = withoutComment(open + line).trim();
    open = "";
    if (whole !== "") lines.push(readLine(whole, number));
  }
  if (open.trim() !== "") lines.push(readLine(withoutComment(open).trim(), number));
  return lines;
}

function readLine(text: string, number: number): SlurmLine {
  const include = /^include\s+(\S+)$/i.exec(text)?.[1];
  if (include !== undefined) return { number, include, pairs: [], isRead: true };
  const pairs = [...text.matchAll(pair)].map(([, key = "", value = ""]) => ({
    key,
    name: key.toLowerCase(),
    value: value.replaceAll('"', ""),
  }));
  return { number, pairs, isRead: text.replaceAll(pair, "").trim() === "" };
}

function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1))
    if (line[at - 1] !== "\\") return line.slice(0, at);
  return line;
}

/** What a line is about: `nodename`, `partitionname`, or a key that stands alone. */
export function kindOf({ pairs }: SlurmLine): string {
  return pairs[0]?.name ?? "";
}

/** The last value of a key of a line. */
export function valueIn({ pairs }: SlurmLine, name: string): string | undefined {
  return pairs.findLast((each) => each.name === name)?.value;
}

/** The last value of a key that stands alone, as Slurm takes it. */
export function lastOf(lines: readonly SlurmLine[], name: string): string | undefined {
  const line = lines.findLast((each) => kindOf(each) === name);
  return line === undefined ? undefined : valueIn(line, name);
}

export function isDefault(line: SlurmLine): boolean {
  return line.pairs[0]?.value.toLowerCase() === "default";
}

/** Lines of a kind, each with what a `DEFAULT` line before it says. */
export function linesOf(lines: readonly SlurmLine[], kind: string): readonly SlurmLine[] {
  let defaults: readonly SlurmPair[] = [];
  return lines.flatMap((line) => {
    if (kindOf(line) !== kind) return [];
    const own = new Set(line.pairs.map(({ name }) => name));
    const pairs = [...line.pairs, ...defaults.filter(({ name }) => !own.has(name))];
    if (!isDefault(line)) return [{ ...line, pairs }];
    defaults = pairs.filter(({ name }) => name !== kind);
    return [];
  });
}
