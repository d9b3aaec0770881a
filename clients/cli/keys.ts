export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

/** By how many rows a key moves; undefined: it is none that moves. */
export function moves({ name }: Key, page: number): number | undefined {
  switch (name) {
    case "up":
    case "k":
      return -1;
    case "down":
    case "j":
      return 1;
    case "pageup":
      return -page;
    case "pagedown":
    case "space":
      return page;
    case "home":
      return -1_000_000;
    case "end":
      return 1_000_000;
  }
  return undefined;
}
