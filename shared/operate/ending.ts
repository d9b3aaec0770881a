import { untilText } from "../cycle/index.ts";
import { moment } from "../text/moment.ts";

/** A decision's end, from the body to the record. */
export function ending({ untilSeconds }: { readonly untilSeconds?: number | undefined }): {
  readonly untilSeconds?: number;
} {
  return untilSeconds === undefined ? {} : { untilSeconds };
}

/** Why a decision is refused: its end has passed. Undefined: the end is in the future, or there is none. */
export function whyOver(
  { untilSeconds }: { readonly untilSeconds?: number | undefined },
  nowSeconds: number,
): string | undefined {
  if (untilSeconds === undefined || untilSeconds > nowSeconds) return undefined;
  return `untilSeconds is ${moment(untilSeconds)}, expected a moment after now, ${moment(nowSeconds)}`;
}

interface Made {
  readonly by: string;
  readonly reason: string;
  readonly untilSeconds?: number | undefined;
}

/** The decision as the list of events has it: the end stands behind the reason. */
export function notedDecision<Kind extends string>(kind: Kind, made: Made, atSeconds: number) {
  const { by, reason } = made;
  return { kind, by, reason: `${reason}${untilText(made)}`, atSeconds };
}
