/** Names of new nodes: the smallest index that no node has, per name format. Names differ from every reserved one. */
export class NodeNames {
  private readonly taken: Set<string>;
  private readonly nextIndex = new Map<string, number>();

  constructor(taken: Iterable<string>) {
    this.taken = new Set(taken);
  }

  reserve(name: string): void {
    this.taken.add(name);
  }

  next(format: string): { readonly name: string; readonly index: number } {
    let index = this.nextIndex.get(format) ?? 1;
    while (this.taken.has(nameAt(format, index))) index++;
    const name = nameAt(format, index);
    this.taken.add(name);
    this.nextIndex.set(format, index + 1);
    return { name, index };
  }

  /** Takes back a name that was just given out. */
  release(format: string, index: number): void {
    this.taken.delete(nameAt(format, index));
    this.nextIndex.set(format, Math.min(index, this.nextIndex.get(format) ?? index));
  }
}

/** The default `<nodearray>-<index>` of CycleCloud. */
export function defaultNameFormat(nodeArray: string): string {
  return `${nodeArray}-%d`;
}

/** A format without `%d` gets the index at its end: names have to differ. */
function nameAt(format: string, index: number): string {
  return format.includes("%d") ? format.replace("%d", () => String(index)) : `${format}${index}`;
}

/** Sorts `htc-2` before `htc-10`: by what stands before the last `-`, then by the number behind it. */
export function sortByNodeName<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const keyed = items.map((item) => ({ item, key: nameKey(nameOf(item)) }));
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  return keyed.map(({ item }) => item);
}

interface NameKey {
  readonly name: string;
  readonly stem: string;
  readonly index: number;
}

function nameKey(name: string): NameKey {
  const dash = name.lastIndexOf("-");
  const digits = name.slice(dash + 1);
  const numbered = dash >= 0 && /^\d+$/.test(digits);
  return { name, stem: numbered ? name.slice(0, dash) : name, index: numbered ? Number(digits) : 0 };
}

function compareKeys(a: NameKey, b: NameKey): number {
  if (a.stem !== b.stem) return a.stem < b.stem ? -1 : 1;
  return a.index - b.index || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
