import { flagSchema } from "./exclusive.ts";
import { kindOf } from "./kind.ts";

/** The node is in some placement group (true) or in none (false). */
export interface PlacementGroupMembership {
  readonly kind: "in-a-placement-group";
  readonly wanted: boolean;
}

export const inAPlacementGroup = kindOf<PlacementGroupMembership>()({
  keys: ["in-a-placement-group"],
  schema: flagSchema,
  example: { "in-a-placement-group": true },
  read(entry, reader) {
    const wanted = reader.flag(entry);
    return wanted === null ? [] : [{ kind: "in-a-placement-group", wanted } as PlacementGroupMembership];
  },
  refusing: (constraint, subject) =>
    (subject.placementGroup !== null) === constraint.wanted ? null : constraint,
  figures: ({ wanted }, subject) => ({
    code: wanted ? "NotInAPlacementGroup" : "InAPlacementGroup",
    asked: wanted,
    left: subject.placementGroup,
  }),
  looksAt: () => "bucket",
});
