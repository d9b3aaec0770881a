/** Values of complexes as Grid Engine writes them. */

/** `2G`, `16`, `1.5`, `true`, `1:30:00`, `INFINITY`; undefined: a text. Times are in seconds, memory is in bytes. */
export function amountOf(value: string): number | undefined {
  const text = value.trim();
  if (/^(infinity|inf)$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^true$/i.test(text)) return 1;
  if (/^false$/i.test(text)) return 0;
  const [, number, unit = ""] = /^([+-]?\d{1,18}(?:\.\d{0,18})?)([kmgtKMGT]?)$/.exec(text) ?? [];
  if (number === undefined) return secondsOf(text);
  const power = " kmgt".indexOf(unit.toLowerCase() || " ");
  return Number(number) * (/[KMGT]/.test(unit) ? 1024 : 1000) ** power;
}

function secondsOf(text: string): number | undefined {
  if (!/^\d{0,9}(:\d{0,9}){1,3}$/.test(text)) return undefined;
  return text.split(":").reduce((sum, part, index, all) => {
    const unit = [1, 60, 3600, 86_400][all.length - 1 - index] ?? 0;
    return sum + Number(part) * unit;
  }, 0);
}

/** A wildcard pattern of Grid Engine's for one name: `*`, `?`, `[abc]`; also `a|b`, `a&b`, `!a` and brackets, as for texts of `-l`. */
export function matches(pattern: string, value: string, { isCaseSensitive = false } = {}): boolean {
  const asCounts = (text: string) => (isCaseSensitive ? text : text.toLowerCase());
  return asCounts(pattern)
    .split("|")
    .some((any) =>
      any.split("&").every((each) => {
        const isNot = each.startsWith("!");
        return matchesOne(isNot ? each.slice(1) : each, asCounts(value)) !== isNot;
      }),
    );
}

export const isPattern = (text: string) => /[*?[\]]/.test(text);

const longestPattern = 1000;

/** Each `*` takes the least that lets the rest match, so that no pattern takes longer than pattern times value. */
function matchesOne(pattern: string, text: string): boolean {
  if (pattern.length > longestPattern || text.length > longestPattern) return false;
  const tokens = pattern.match(/\[[^\]]{1,256}\]|[\s\S]/g) ?? [];
  let at = 0;
  let token = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const each = tokens[token];
    if (each === "*") {
      star = token++;
      starAt = at;
    } else if (each !== undefined && matchesCharacter(each, text[at] ?? "")) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((each) => each === "*");
}

function matchesCharacter(token: string, character: string): boolean {
  if (token === "?") return true;
  if (token.length === 1) return token === character;
  const inner = token.slice(1, -1);
  const isNot = /^[!^]/.test(inner);
  const set = isNot ? inner.slice(1) : inner;
  const ranges = set.match(/.-.|[\s\S]/g) ?? [];
  const isIn = ranges.some((range) =>
    range.length === 3 ? character >= (range[0] ?? "") && character <= (range[2] ?? "") : range === character,
  );
  return isIn !== isNot;
}

export interface Range {
  readonly least: number;
  readonly most: number;
  readonly step: number;
}

/** `2-12`, `4-`, `-8`, `16`, `1-100:1`, `3,5,7-9:2`. Undefined: no such list. */
export function rangesOf(text: string): readonly Range[] | undefined {
  const ranges = text
    .trim()
    .split(",")
    .map((part): Range | undefined => {
      const [, from, dash, to, step] = /^(\d{0,9})(-?)(\d{0,9})(?::(\d{1,9}))?$/.exec(part.trim()) ?? [];
      if (from === undefined || (from === "" && to === "")) return undefined;
      const least = from === "" ? 1 : Number(from);
      const most = dash === "" ? least : to === "" ? 9_999_999 : Number(to);
      return { least, most, step: Math.max(1, Number(step ?? 1)) };
    });
  const known = ranges.filter((range) => range !== undefined);
  return known.length < ranges.length || known.some(({ least, most }) => most < least) ? undefined : known;
}

export function countIn(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { least, most, step }) => sum + Math.floor((most - least) / step) + 1, 0);
}
