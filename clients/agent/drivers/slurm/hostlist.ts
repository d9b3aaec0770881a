/** More names than this come from a mistake, not from a cluster. */
const mostNames = 100_000;

/**
 * The names in a hostlist: `hpc-[1-3,7],login` is `hpc-1`, `hpc-2`, `hpc-3`, `hpc-7`, `login`. Leading zeros stay.
 * Undefined when the text is no hostlist.
 */
export function expandHostlist(text: string): readonly string[] | undefined {
  const items = splitOutsideBrackets(text);
  if (items.join(",") !== text) return undefined;
  const names: string[] = [];
  for (const item of items) {
    const expanded = expandItem(item);
    if (expanded === undefined || names.length + expanded.length > mostNames) return undefined;
    names.push(...expanded);
  }
  return names;
}

function splitOutsideBrackets(text: string): readonly string[] {
  return text === "" ? [] : (text.match(/(?:[^,[\]]|\[[^\]]*\])+/g) ?? []);
}

/** Of several brackets (`rack[1-2]-[1-4]`) the last runs fastest, as Slurm prints them. */
function expandItem(item: string): readonly string[] | undefined {
  const match = /^([^[\]]*)\[([^\]]+)\](.*)$/s.exec(item);
  if (match === null) return /[[\]\s]/.test(item) ? undefined : [item];
  const [, before = "", inside = "", after = ""] = match;
  const tails = expandItem(after);
  if (tails === undefined && after !== "") return undefined;
  const numbers = inside.split(",").map(expandRange);
  if (numbers.some((range) => range === undefined)) return undefined;
  const heads = numbers.flatMap((range) => range ?? []).map((number) => `${before}${number}`);
  if (heads.length * (tails?.length ?? 1) > mostNames) return undefined;
  return heads.flatMap((head) => (after === "" ? [head] : (tails ?? []).map((tail) => `${head}${tail}`)));
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

/** How many task ids an array's list holds: `1-10:2,20%5` is 6. Undefined when it cannot be told (cut short by Slurm). */
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
