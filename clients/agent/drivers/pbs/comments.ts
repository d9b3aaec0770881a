/** Whether nodes would help a job of which the scheduler said this. */
export type Help = "may-help" | "does-not-help";

/** OpenPBS and PBS Professional, behind "Not Running: " and "Can Never Run: ". */
const others =
  /would conflict with reservation or top job|strict(?:ly)? sorted order|strict order|starving job|fairshare|deserves/i;
const doesNotHelp =
  /\blimit|Queue not|not an execution queue|queue resource|server resource|[Dd]edicated time|prime ?time|will cross into|has no shares|PBS Error|[Rr]eservation|scheduling disabled|not in queued state|is held/;
const mayHelp =
  /resource|nodes? |nodes$|[Hh]ost set|placement set|vnode|ineligible state|[Pp]reempt|exclusive|total|provision/;

/**
 * What the scheduler's comment means. It is of its last cycle, and of the nodes of then: "Can Never Run" is no last word. Undefined
 * for words of another release; empty and other people's comments say nothing.
 */
export function helpWith(comment: string): Help | undefined {
  const words = wordsOf(comment);
  if (words === undefined || others.test(words)) return "may-help";
  if (doesNotHelp.test(words)) return "does-not-help";
  return mayHelp.test(words) ? "may-help" : undefined;
}

/** Whether the scheduler starts other jobs first, or has not looked at this one. */
export function isBehindOthers(comment: string): boolean {
  const words = wordsOf(comment);
  return words === undefined ? comment === "" : others.test(words);
}

function wordsOf(comment: string): string | undefined {
  return /^(?:Not Running|Can Never Run): *([\s\S]*)$/.exec(comment)?.[1]?.trim();
}
