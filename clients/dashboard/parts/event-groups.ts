import type { EventView } from "../../../shared/api/index.ts";

export interface EventGroup {
  readonly title: string;
  /** A sign that distinguishes it without colours. */
  readonly sign: string;
  /** Name of a colour of `style.css`. */
  readonly color: string;
  readonly kinds: readonly EventView["kind"][];
}

const decisions: EventGroup = {
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
};

const actions: EventGroup = {
  title: "Nodes and actions",
  sign: "●",
  color: "use-drained",
  kinds: ["action", "action-done", "node-joined", "node-gone", "node-replaced", "jobs-unstalled"],
};

/** What happens to a cluster, what matters most first. */
export const eventGroups: readonly EventGroup[] = [
  {
    title: "Failures",
    sign: "!",
    color: "use-failed",
    kinds: ["action-failed", "node-failed", "node-unhealthy", "node-lost", "rejected", "jobs-stalled"],
  },
  decisions,
  { title: "Plans", sign: "▲", color: "use-jobs", kinds: ["plan"] },
  actions,
];

type Grouped = Pick<EventView, "kind" | "by">;

/** The group of an event. A drain can be an operator's decision or the autoscaler's own action. */
export function groupOf({ kind, by }: Grouped): EventGroup | undefined {
  const group = eventGroups.find(({ kinds }) => kinds.includes(kind));
  return group === decisions && by === "the autoscaler" ? actions : group;
}

/** How many of each group there are, such as "Plans: 2, Failures: 1"; empty: none. */
export function eventWords(events: readonly Grouped[]): string {
  return eventGroups
    .map((group) => ({ ...group, number: events.filter((each) => groupOf(each) === group).length }))
    .filter(({ number }) => number > 0)
    .map(({ title, number }) => `${title}: ${number}`)
    .join(", ");
}
