import { describe, expect, test } from "vitest";
import { eventGroups, eventWords, groupOf } from "../../../clients/dashboard/parts/event-groups.ts";
import { eventKinds } from "../../../shared/api/events-schema.ts";

describe("groups of events", () => {
  test("every kind is in one group", () => {
    expect(eventGroups.flatMap(({ kinds }) => kinds).toSorted()).toEqual([...eventKinds].toSorted());
  });

  test.each([
    ["drain", "ann", "Decisions"],
    ["drain", "the autoscaler", "Nodes and actions"],
    ["undrain", "the autoscaler", "Nodes and actions"],
    ["targets", "slurm", "Decisions"],
    ["pause", null, "Decisions"],
    ["plan", "the autoscaler", "Plans"],
    ["action-failed", "the autoscaler", "Failures"],
  ] as const)("%s by %s is of %s", (kind, by, title) => {
    expect(groupOf({ kind, by })?.title).toBe(title);
  });

  test("drains of the autoscaler are not counted as decisions", () => {
    const drains = ["the autoscaler", "ann", "the autoscaler"].map((by) => ({ kind: "drain", by }) as const);
    expect(eventWords(drains)).toBe("Decisions: 1, Nodes and actions: 2");
  });
});
