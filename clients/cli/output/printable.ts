/** Control characters, and those that are not seen but change what is seen (direction, joiners), line ends too. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Letters, digits and signs of ASCII, as nearly all cells are: each takes one column of a screen, and none is to be spelled. */
const ascii = /^[ -~]*$/;

export function isAscii(text: string): boolean {
  return ascii.test(text);
}

/** Text that a stranger wrote, safe on a terminal: what could move the cursor or hide itself is spelled `\u001b`. */
export function printable(text: string): string {
  if (isAscii(text)) return text;
  return text.replaceAll(unseen, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
