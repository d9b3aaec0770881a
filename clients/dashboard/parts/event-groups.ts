import type { EventView } from "../../../shared/api/index.ts";

export interface EventGroup {
  readonly title: string;
  /** A sign that tells it from the others without colours. */
  readonly sign: string;
  /** Name of a colour of `style.css`. */
  readonly color: string;
  readonly kinds: readonly EventView["kind"][];
}

/** What happens to a cluster, what matters most first. */
export const eventGroups: readonly EventGroup[] = [
  {
    title: "Failures",
    sign: "!",
    color: "use-failed",
    kinds: ["action-failed", "node-failed", "node-lost", "rejected"],
  },
  {
    title: "Decisions",
    sign: "◆",
    color: "use-kept",
    kinds: [
      "drain",
      "undrain",
      "keep-alive",
      "release",
      "ignore",
      "unignore",
      "pause",
      "resume",
      "config",
      "targets",
    ],
  },
  { title: "Plans", sign: "▲", color: "use-jobs", kinds: ["plan"] },
  {
    title: "Nodes and actions",
    sign: "●",
    color: "use-drained",
    kinds: ["action", "action-done", "node-joined", "node-gone"],
  },
];

/** How many of each group there are, such as "2 plans, 1 failure"; empty: none. */
export function eventWords(events: readonly Pick<EventView, "kind">[]): string {
  return eventGroups
    .map(({ title, kinds }) => ({ title, number: events.filter(({ kind }) => kinds.includes(kind)).length }))
    .filter(({ number }) => number > 0)
    .map(({ title, number }) => `${title}: ${number}`)
    .join(", ");
}
