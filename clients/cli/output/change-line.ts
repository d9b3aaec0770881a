import type { PlanChange } from "../../../shared/api/index.ts";
import { printable } from "../../../shared/text/text.ts";

/** `create htc F4: 2 -> 3`. */
export function changeLine({ about, name, before, after }: PlanChange): string {
  return printable(`${about} ${name}: ${before ?? "none"} -> ${after ?? "none"}`);
}
