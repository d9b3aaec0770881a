import type { z } from "zod";
import { describeProblems } from "../../../shared/messages/index.ts";
import type { Driver, DriverKind } from "./driver.ts";

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
