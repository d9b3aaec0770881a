/**
 * Shell wildcards: `*`, `?`, `[abc]`, `[a-z]`, `[!x]`. One pass over the text with a single point of return,
 * so at most pattern x text steps: a hostile pattern cannot blow up as a backtracking one could.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const lastEnd = pattern.lastIndexOf("]");
  let at = 0;
  let star = -1;
  let starAt = 0;
  let i = 0;
  while (i < text.length) {
    const step = pattern[at] === "*" ? 0 : matchOne(pattern, at, text.charAt(i), lastEnd);
    if (step > 0) {
      at += step;
      i++;
    } else if (pattern[at] === "*") {
      star = at++;
      starAt = i;
    } else if (star >= 0) {
      // Let the latest star swallow one more character; earlier stars never need to move again.
      at = star + 1;
      i = ++starAt;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** Whether a text has any wildcard at all; most do not, and compare as plain texts. */
export function hasWildcard(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/**
 * How many pattern characters match one text character at a position; 0: none. `lastEnd` is the last `]`: nobody looks for one
 * behind it.
 */
function matchOne(pattern: string, at: number, char: string, lastEnd: number): number {
  const code = pattern[at];
  if (code === undefined) return 0;
  if (code === "?") return 1;
  if (code !== "[") return code === char ? 1 : 0;
  const negated = pattern[at + 1] === "!";
  const from = at + (negated ? 2 : 1);
  // A `]` right after the opening is a member, not the end.
  const end = from + 1 > lastEnd ? -1 : pattern.indexOf("]", from + 1);
  if (end < 0) return char === "[" ? 1 : 0;
  return inClass(pattern, from, end, char) !== negated ? end - at + 1 : 0;
}

function inClass(pattern: string, from: number, end: number, char: string): boolean {
  for (let i = from; i < end; i++) {
    const low = pattern.charAt(i);
    if (pattern[i + 1] === "-" && i + 2 < end) {
      if (low <= char && char <= pattern.charAt(i + 2)) return true;
      i += 2;
    } else if (low === char) {
      return true;
    }
  }
  return false;
}
