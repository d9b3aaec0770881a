/** `1 node`, `3 nodes`: the noun is given for many, and loses its s for one. */
export function counted(count: number, noun: `${string}s`): string {
  return `${count} ${count === 1 ? noun.slice(0, -1) : noun}`;
}
