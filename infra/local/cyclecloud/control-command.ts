import type { z } from "zod";

/** A command of the control panel, which checks what it is given. Throws a ZodError for input of the wrong shape. */
export function command<S extends z.ZodType>(
  schema: S,
  run: (input: z.output<S>) => void,
): (input: z.input<S>) => void {
  return (input) => run(schema.parse(input, { reportInput: true }));
}
