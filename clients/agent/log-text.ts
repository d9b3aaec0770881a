const longest = 300;

/** Control and format characters, line separators, halves of characters: they change how a terminal shows what follows. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text of any length and content as it may stand in a line of the log. */
export function logText(text: string): string {
  const shown = text.slice(0, longest).replaceAll(unprintable, (each) => {
    const code = (each.codePointAt(0) ?? 0).toString(16);
    return `\\u{${code}}`;
  });
  return text.length <= longest ? shown : `${shown}… (${text.length} characters)`;
}
