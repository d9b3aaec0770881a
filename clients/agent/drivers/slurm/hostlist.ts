/** More names than this come from a mistake, not from a cluster. */
const mostNames = 100_000;

/** More brackets, and texts between them, in one name than this, too: each is joined with all that came before it. */
const mostPieces = 8;

/** A piece of a hostlist: text, a bracket, a comma. Sticky: the first that is none of these ends the list. */
const pieces = /[^,[\]]+|\[[^\]]*\]|,/gy;

/**
 * The names in a hostlist: `hpc-[1-3,7],login` is `hpc-1`, `hpc-2`, `hpc-3`, `hpc-7`, `login`. Leading zeros stay.
 * Undefined when the text is no hostlist.
 */
export function expandHostlist(text: string): readonly string[] | undefined {
  if (text === "") return [];
  const items = itemsOf(text);
  if (items === undefined) return undefined;
  const names: string[] = [];
  for (const item of items) {
    const expanded = expandItem(item);
    if (expanded === undefined || names.length + expanded.length > mostNames) return undefined;
    for (const name of expanded) names.push(name);
  }
  return names;
}

/** The pieces of every name, commas outside of brackets left out. Undefined when a bracket is not closed, or a name has too many. */
function itemsOf(text: string): readonly (readonly string[])[] | undefined {
  const found = text.match(pieces) ?? [];
  if (found.reduce((length, piece) => length + piece.length, 0) < text.length) return undefined;
  const items: string[][] = [[]];
  for (const piece of found) {
    const item = items.at(-1) ?? [];
    if (piece === ",") items.push([]);
    else if (item.length === mostPieces) return undefined;
    else item.push(piece);
  }
  return items;
}

/** With several brackets (`rack[1-2]-[1-4]`) the last changes first, as in Slurm's output. */
function expandItem(item: readonly string[]): readonly string[] | undefined {
  if (item.length === 0) return undefined;
  let names: readonly string[] = [""];
  for (const piece of item) {
    const options = piece.startsWith("[") ? expandBracket(piece.slice(1, -1)) : [piece];
    if (options === undefined || /\s/.test(piece) || names.length * options.length > mostNames)
      return undefined;
    names = names.flatMap((name) => options.map((option) => `${name}${option}`));
  }
  return names;
}

function expandBracket(inside: string): readonly string[] | undefined {
  const numbers: string[] = [];
  for (const range of inside.split(",")) {
    const expanded = expandRange(range);
    if (expanded === undefined || numbers.length + expanded.length > mostNames) return undefined;
    for (const number of expanded) numbers.push(number);
  }
  return numbers;
}

function expandRange(range: string): readonly string[] | undefined {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range);
  const first = match?.[1];
  if (first === undefined) return undefined;
  const from = Number(first);
  const to = Number(match?.[2] ?? first);
  if (to < from || to - from >= mostNames) return undefined;
  return Array.from({ length: to - from + 1 }, (_, index) =>
    String(from + index).padStart(first.length, "0"),
  );
}

/** How many task ids an array's list holds: `1-10:2,20%5` is 6. Undefined if Slurm cut the list short. */
export function countTasks(text: string): number | undefined {
  const [ids = ""] = text.split("%");
  let count = 0;
  for (const range of ids.split(",")) {
    const match = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(range);
    if (match === null) return undefined;
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    const step = Number(match[3] ?? 1);
    if (to < from || step === 0) return undefined;
    count += Math.floor((to - from) / step) + 1;
  }
  return count;
}

/** Names as a hostlist, with one bracket for each stem: `htc-1`, `htc-2` and `gpu-7` are `gpu-7,htc-[1-2]`. */
export function compactHostlist(names: readonly string[]): string {
  const byStem = Map.groupBy(new Set(names), (name) => name.replace(/(?<!\d)(0|[1-9]\d{0,8})$/, ""));
  const items = [...byStem].flatMap(([stem, own]) => {
    const indices = own
      .filter((name) => name !== stem)
      .map((name) => Number(name.slice(stem.length)))
      .toSorted((a, b) => a - b);
    const ranges: { from: number; to: number }[] = [];
    for (const index of indices) {
      const last = ranges.at(-1);
      if (last?.to === index - 1) last.to = index;
      else ranges.push({ from: index, to: index });
    }
    const parts = ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
    const numbered =
      parts.length === 0
        ? []
        : indices.length === 1
          ? [`${stem}${parts[0]}`]
          : [`${stem}[${parts.join(",")}]`];
    return own.includes(stem) ? [stem, ...numbered] : numbered;
  });
  return items.toSorted().join(",");
}
