/**
 * Names for new nodes: the smallest free numbers from `offset` on. A name is free again when its node is gone,
 * so a name alone never identifies a node; the node id does.
 */
export function freeNames(options: {
  readonly count: number;
  /** Has one `%d`. */
  readonly format: string;
  readonly offset: number;
  readonly isTaken: (name: string) => boolean;
}): readonly string[] {
  const { count, format, offset, isTaken } = options;
  const names: string[] = [];
  for (let index = offset; names.length < count; index += 1) {
    const name = format.replace("%d", String(index));
    if (!isTaken(name)) names.push(name);
  }
  return names;
}
