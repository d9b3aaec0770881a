/** A name as it is compared where its spelling does not count: `vmSize`, `vm_size` and `vm-size` are one. */
export function foldedOnce(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

/** Names that come again and again: with every node, every column, every record. */
const known = new Map<string, string>();
const mostKnown = 10_000;

/** The same, remembered for as long as the process lives: not for what callers of the service say. */
export function foldedName(name: string): string {
  const before = known.get(name);
  if (before !== undefined) return before;
  const folded = foldedOnce(name);
  if (known.size < mostKnown) known.set(name, folded);
  return folded;
}
