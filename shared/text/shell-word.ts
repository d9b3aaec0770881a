/**
 * A text as one word of a POSIX shell, for commands that people copy. Names of jobs come from anybody: whatever a shell would read
 * in them is quoted.
 */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word, quoted text, or an escaped letter. Sticky: the first that is none of these ends the list. */
const pieces = /\s+|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\]+/y;

/** Words as a shell splits them, without what a shell would run or fill in. Undefined: a quotation mark is not closed. */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < text.length) {
    pieces.lastIndex = at;
    const [piece] = pieces.exec(text) ?? [];
    if (piece === undefined) return undefined;
    at += piece.length;
    if (piece.trim() === "") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + unquoted(piece);
  }
  return word === undefined ? words : [...words, word];
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replaceAll(/\\(["\\$`])/g, "$1");
  return piece.startsWith("\\") ? piece.slice(1) : piece;
}
