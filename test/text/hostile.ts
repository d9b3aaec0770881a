/** Signs that something in an expression may begin with, repeat or end with. */
export const signs: readonly string[] = [
  " ",
  "\t",
  "a",
  "A",
  "0",
  "-",
  "_",
  ".",
  "/",
  ":",
  "{",
  "[",
  "(",
  "<",
  "=",
  '"',
  "'",
  "\\",
  "#",
  "%",
  "@",
  "&",
  ",",
];
/** Each begins a word. */
const joined = "a-";
const mostWords = 6;

/**
 * What to repeat until a text is long: all signs, and the fixed words of the expression alone, at the beginning of a word, and
 * in front of what may follow them. An expression that is tried again at each of them, and reads on to the end, is slow on such.
 */
export function piecesFor(source: string): readonly string[] {
  const words = [
    ...new Set(source.replaceAll(/\\./g, " ").match(/[A-Za-z]{2,}|[^\w\s()[\]{}|?*+^$\\]{2,}/g)),
  ];
  return [
    ...signs,
    joined,
    ...words.slice(0, mostWords).flatMap((word) => [word, `-${word}`, `${word} `, `${word}00000000-`]),
  ];
}

/** A text of the piece, with an end that few expressions allow, and a line's end. */
export function textOf(piece: string, length: number): string {
  return `${piece.repeat(Math.floor(length / piece.length))}\u0000\n\u0000`;
}
