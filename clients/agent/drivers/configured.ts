import { z } from "zod";
import { describeProblems } from "../../../shared/messages/index.ts";
import type { Command, Driver, DriverKind, Read } from "./driver.ts";

/** A setting: the name of a program, and its first arguments. */
export const program = z.array(z.string().min(1)).min(1);

/** A call of the program that such a setting names. */
export function commandOf(
  [name = "", ...first]: readonly string[],
  args: readonly string[],
  exitCodes?: readonly number[],
): Command {
  return { program: name, args: [...first, ...args], ...(exitCodes === undefined ? {} : { exitCodes }) };
}

/** A call whose output is read under a name. */
export function readOf(
  name: string,
  ...command: Parameters<typeof commandOf>
): Extract<Read, { readonly kind: "command" }> {
  return { kind: "command", name, ...commandOf(...command) };
}

/** A kind of driver whose section of the configuration has this schema. Wrong settings are refused, all at once. */
export function configured<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  driverOf: (settings: z.infer<Schema>) => Driver,
): DriverKind {
  return {
    name,
    configure(section) {
      const parsed = schema.safeParse(section, { reportInput: true });
      if (!parsed.success) return { ok: false, problems: describeProblems(parsed.error) };
      return { ok: true, driver: driverOf(parsed.data) };
    },
  };
}
