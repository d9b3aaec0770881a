import type { DemandPosted } from "../api/index.ts";
import type { SetAside } from "../messages/set-aside.ts";

const mostShown = 100;

/** What a sender is told of items that did not check out. */
export function setAsideAnswer(setAside: readonly SetAside[]): DemandPosted["setAside"] {
  const items = setAside
    .slice(0, mostShown)
    .map(({ kind, index, name, problems }) => ({ kind, index, name, problems }));
  return { count: setAside.length, items };
}
