/** Names come again and again: with every node, every column, every record. */
const known = new Map<string, string>();
const mostKnown = 10_000;

/** A name as it is compared where its spelling does not count: `vmSize`, `vm_size` and `vm-size` are one. */
export function foldedName(name: string): string {
  const before = known.get(name);
  if (before !== undefined) return before;
  const folded = name.replaceAll(/[_-]/g, "").toLowerCase();
  if (known.size < mostKnown) known.set(name, folded);
  return folded;
}
