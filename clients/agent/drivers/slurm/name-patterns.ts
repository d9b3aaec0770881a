/** So many names are listed as they are. */
const fewNames = 16;
/** The planner counts each pattern as a part of its job, of which there may not be many. */
const mostPatterns = 16;

/**
 * Shell wildcards that match these names and no others of their kind: `htc-1` to `htc-500` are `htc-[1-9]`, `htc-[1-9][0-9]`,
 * `htc-[1-4][0-9][0-9]` and `htc-500`. Each job that keeps off the nodes of a reservation would have all their names otherwise.
 * The names themselves where they are few, or do not follow each other.
 */
export function patternsOf(names: readonly string[]): readonly string[] {
  if (names.length <= fewNames) return names;
  const series = new Map<string, { readonly before: string; readonly numbers: Set<string> }>();
  const others: string[] = [];
  for (const name of names) {
    const [, before, digits] = /^([\w.-]*?)(\d{1,9})$/.exec(name) ?? [];
    if (before === undefined || digits === undefined) {
      others.push(name);
      continue;
    }
    const key = `${before} ${digits.length}`;
    const known = series.get(key);
    if (known === undefined) series.set(key, { before, numbers: new Set([digits]) });
    else known.numbers.add(digits);
  }
  const patterns = [...series.values()].flatMap(({ before, numbers }) =>
    digitPatterns([...numbers]).map((pattern) => `${before}${pattern}`),
  );
  return patterns.length + others.length <= mostPatterns ? [...patterns, ...others] : names;
}

/** Of numbers with the same number of digits: first digits after which the same follows are one class. */
function digitPatterns(numbers: readonly string[]): readonly string[] {
  if (numbers.every((number) => number === "")) return [""];
  const byFirst = Map.groupBy(numbers, (number) => number.charAt(0));
  const byRest = new Map<string, { readonly firsts: string[]; readonly rests: readonly string[] }>();
  for (const [first, all] of byFirst) {
    const rests = digitPatterns(all.map((number) => number.slice(1)));
    const key = rests.join(" ");
    const known = byRest.get(key);
    if (known === undefined) byRest.set(key, { firsts: [first], rests });
    else known.firsts.push(first);
  }
  return [...byRest.values()].flatMap(({ firsts, rests }) =>
    rests.map((rest) => `${classOf(firsts)}${rest}`),
  );
}

function classOf(digits: readonly string[]): string {
  const [first = "", ...others] = digits.toSorted();
  const last = others.at(-1);
  if (last === undefined) return first;
  return Number(last) - Number(first) === others.length
    ? `[${first}-${last}]`
    : `[${first}${others.join("")}]`;
}
