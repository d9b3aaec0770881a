/** What `make` makes of an object, made once and kept for as long as the object is. */
export function onceFor<K extends object, T extends object>(make: (from: K) => T): (from: K) => T {
  const made = new WeakMap<K, T>();
  return (from) => {
    const known = made.get(from);
    if (known !== undefined) return known;
    const value = make(from);
    made.set(from, value);
    return value;
  };
}
