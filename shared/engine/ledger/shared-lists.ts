/** Lists that many jobs have alike, such as the buckets that refused them: one is kept of those that were made lately. */
export class SharedLists<T extends object> {
  readonly #recent: (readonly T[])[] = [];
  #oldest = 0;

  /** The same list if there is one. */
  of(list: readonly T[]): readonly T[] {
    for (const known of this.#recent) if (isSame(known, list)) return known;
    if (this.#recent.length < mostLists) this.#recent.push(list);
    else this.#recent[this.#oldest++ % mostLists] = list;
    return list;
  }
}

/** More would cost more to compare than it saves. */
const mostLists = 16;

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false;
  // From the end: lists of buckets mostly begin alike.
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}
