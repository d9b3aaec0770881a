import { type Constraint, parseConstraints } from "../../engine/index.ts";

/** Jobs may share their constraints, which are then read once. */
export function constraintsReader(): (json: unknown) => readonly Constraint[] {
  const known = new Map<unknown, readonly Constraint[]>();
  return (json) => {
    const before = known.get(json);
    if (before !== undefined) return before;
    const parsed = parseConstraints(json);
    // Only checked jobs are stored; if the rules have become stricter since, the job waits and reports why.
    const constraints: readonly Constraint[] = parsed.ok
      ? parsed.constraints
      : [{ kind: "never", message: "constraints cannot be read" }];
    known.set(json, constraints);
    return constraints;
  };
}
