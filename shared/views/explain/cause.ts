import type { CauseView } from "../../api/index.ts";
import { type BucketName, formatSize, type Reason, type Scalar } from "../../engine/index.ts";
import { bucketLabel } from "../../names/bucket-words.ts";
import { redact } from "../../text/redact.ts";
import { shownNumber } from "../../text/text.ts";

export type Kind = CauseView["kind"];

export function cause(
  kind: Kind,
  said: Pick<CauseView, "text" | "next"> & Partial<Omit<CauseView, "kind" | "text" | "next">>,
): CauseView {
  return { kind, limit: null, asked: null, left: null, untilSeconds: null, ...said };
}

/** Without the value of a secret that the constraint names. */
export function figures(reason: Reason): Pick<CauseView, "asked" | "left"> {
  const { asked, left } = redact(reason) as Reason;
  return { asked, left };
}

/** An amount to compare by; sizes in bytes. */
export function amount(value: Scalar): number {
  if (typeof value === "number") return value;
  return typeof value === "object" && value !== null ? value.bytes : 0;
}

export function shown(value: Scalar): string {
  if (typeof value === "number") return shownNumber(value);
  return typeof value === "object" && value !== null ? formatSize(value) : String(value);
}

/** As people name it; hosts that CycleCloud does not have are in no bucket that anybody knows. */
export function labelOf(bucket: BucketName | null): string {
  return bucket?.nodeArray === "on-premise" ? "the scheduler's own hosts" : bucketLabel(bucket);
}

/** Whole seconds, never less than none. */
export function rounded(seconds: number): number {
  return Math.max(0, Math.ceil(seconds));
}

const mostSelected = 5;

/** A selection as the command line takes it. */
export function selecting(names: readonly string[]): string {
  return `-N ${names.slice(0, mostSelected).join(",")}`;
}

/** A command that acts on nodes. It names a few of many, and says that the others need it too. */
export function actingOn(command: string, names: readonly string[]): string {
  const others = names.length - mostSelected;
  const rest = others > 0 ? `, and the other ${others} alike` : "";
  return `\`ccscale ${command} ${selecting(names)}\`${rest}`;
}

/** Whether a node or a bucket is of that node array, VM size and placement group. */
export function isIn(of: Omit<BucketName, "dynamicArray">, bucket: BucketName | null): boolean {
  return (
    of.nodeArray === bucket?.nodeArray &&
    of.vmSize === bucket.vmSize &&
    of.placementGroup === bucket.placementGroup
  );
}
