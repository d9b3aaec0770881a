/** The members that are not undefined: for types in which a member may be absent, and never undefined. */
export function defined<T extends object>(members: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const told = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(told) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
