import { readdirSync, readFileSync } from "node:fs";

/** What commands printed, by their lines as they were typed. */
export type Printed = ReadonlyMap<string, string>;

const folder = new URL("printed/", import.meta.url);
const prompt = /^\$ ccscale (.*)$/;

/** Reads the transcripts that a test compares with what commands print on a running local environment. */
export function readPrinted(): Printed {
  const printed = new Map<string, string>();
  // A line may also occur in another command's transcript; its own one shows more.
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".txt")))
    for (const [line, shown] of transcript(readFileSync(new URL(name, folder), "utf8")))
      if (!printed.has(line) || line.startsWith(name.slice(0, -".txt".length))) printed.set(line, shown);
  return printed;
}

/** Each line that was typed with what follows it, up to the next. */
function transcript(text: string): Printed {
  const printed = new Map<string, string>();
  let typed: string | undefined;
  for (const line of text.split("\n")) {
    typed = prompt.exec(line)?.[1] ?? typed;
    if (typed === undefined) continue;
    const before = printed.get(typed);
    if (prompt.test(line)) printed.set(typed, "");
    else printed.set(typed, `${before}${line}\n`);
  }
  return new Map([...printed].map(([line, shown]) => [line, shown.trim()]));
}
