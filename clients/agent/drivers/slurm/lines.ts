/**
 * What `scontrol --oneliner` prints: a record a line, `Key=value` pairs with blanks between them. Undefined when the text
 * was cut short: every line ends, and there always is one.
 */
export function readLines(text: string): readonly Readonly<Record<string, string>>[] | undefined {
  if (!text.endsWith("\n")) return undefined;
  return text
    .split("\n")
    .filter((line) => line.includes("="))
    .map((line) =>
      Object.fromEntries(
        line
          .trim()
          .split(" ")
          .map((pair) => {
            const at = pair.indexOf("=");
            return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
          }),
      ),
    );
}
