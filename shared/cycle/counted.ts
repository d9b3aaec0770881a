/** `1 node`, `3 nodes`: the noun is given for many, and loses its s for one. */
export function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${count === 1 && noun.endsWith("s") ? noun.slice(0, -1) : noun}`;
}

/** To three places; so large that nobody can count it: any number. */
export function shownNumber(value: number): string {
  return value >= Number.MAX_SAFE_INTEGER ? "any number" : String(Number(value.toFixed(3)));
}
