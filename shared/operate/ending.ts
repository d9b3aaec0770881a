import { untilText } from "../cycle/index.ts";
import { moment } from "../text/moment.ts";

/** What a decision says about its end: a body's field as the record has it. */
export function ending({ untilSeconds }: { readonly untilSeconds?: number | undefined }): {
  readonly untilSeconds?: number;
} {
  return untilSeconds === undefined ? {} : { untilSeconds };
}

/** Why a decision is none: it would be over at once. Undefined: its end is to come, or it has none. */
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
