import { kindOf } from "./kind.ts";

/** `iteration`: every iteration has its node to itself. `task`: only iterations of the same job share it. */
export interface Exclusive {
  readonly kind: "exclusive";
  readonly scope: "iteration" | "task";
}

export const flagSchema = { enum: [true, false, "true", "false", 1, 0] };

export const exclusive = kindOf<Exclusive>()({
  keys: ["exclusive", "exclusive-task", "exclusive_task"],
  schema: flagSchema,
  example: { exclusive: true },
  /** `false` asks for nothing. */
  read(entry, reader) {
    const scope = entry.key === "exclusive" ? "iteration" : "task";
    return reader.flag(entry) === true ? [{ kind: "exclusive", scope } as Exclusive] : [];
  },
  refusing: (constraint, subject) => (subject.vacant ? null : constraint),
  figures: () => ({ code: "ExclusiveRequirementFailed", asked: true, left: false }),
  take: ({ scope }, takings) => takings.exclusive(scope),
  share: () => 1,
  looksAt: () => "situation",
});
