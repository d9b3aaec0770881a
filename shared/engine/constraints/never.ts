import { kindOf } from "./kind.ts";
import { show } from "./reading.ts";

/** No node will do. */
export interface Never {
  readonly kind: "never";
  readonly message: string;
}

export const never = kindOf<Never>()({
  keys: ["never"],
  schema: {},
  example: { never: "the licence server is away" },
  read: ({ value }) => [{ kind: "never", message: typeof value === "string" ? value : show(value) } as Never],
  refusing: (constraint) => constraint,
  figures: ({ message }) => ({ code: "Never", asked: message, left: null }),
  shortened: (constraint, short) => ({ ...constraint, message: short.text(constraint.message) }),
  looksAt: () => "bucket",
});
