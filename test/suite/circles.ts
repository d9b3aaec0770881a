/**
 * Groups of files that import each other, directly or by way of others (Tarjan's strongly connected components of more than
 * one file). Each group is sorted.
 */
export function circlesIn(importsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const imported of importsOf.get(file) ?? []) {
      // A file that is done belongs to a group of its own: nothing in it leads back here.
      const reached = order.has(imported)
        ? open.includes(imported)
          ? (order.get(imported) ?? number)
          : number
        : visit(imported);
      lowest.set(file, Math.min(lowest.get(file) ?? number, reached));
    }
    if (lowest.get(file) === number) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) circles.push(group.toSorted());
    }
    return lowest.get(file) ?? number;
  };

  for (const file of importsOf.keys()) if (!order.has(file)) visit(file);
  return circles;
}
