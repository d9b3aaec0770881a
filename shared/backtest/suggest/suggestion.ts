import { duration } from "../../text/durations.ts";
import { settingsText } from "../compare/summary.ts";
import type { RunFigures } from "../figures/run-figures.ts";
import { type Certainty, certaintyOf } from "./certainty.ts";
import type { SettingsFound, Varied } from "./search.ts";

/** The result of a search, checked on the part of the workload that was not used for tuning. */
export interface Suggestion {
  /**
   * `change`: cheaper there too, in at least 95 of 100 draws of its days, and waits are not too long. `keep`: no change helps.
   * `unsure`: all between.
   */
  readonly verdict: "change" | "keep" | "unsure";
  /** The settings that were found. Empty: those that are configured. */
  readonly varied: Varied;
  /** Runs of the search; two more checked it. */
  readonly runs: number;
  readonly isFinished: boolean;
  /** Share of the cost that was saved where it was tuned. */
  readonly tunedShare: number;
  readonly certainty: Certainty;
  /** Mean waits of the part that it was checked on. */
  readonly waitSeconds: { readonly configured: number | null; readonly changed: number | null };
  /** Jobs that ended there with the change, less those without it. */
  readonly moreEnded: number;
}

const sure = 0.95;
const graceSeconds = 30;

/** Combines a search with its check. Deterministic for the same figures and seed. */
export function suggestionOf(
  found: SettingsFound,
  checked: { readonly configured: RunFigures; readonly changed: RunFigures },
  { seed, longestWait }: { readonly seed: number; readonly longestWait: number },
): Suggestion {
  const certainty = certaintyOf(checked, seed);
  const before = certaintyOf({ configured: found.configured, changed: found.figures }, seed);
  const waits = {
    configured: checked.configured.waitSeconds?.mean ?? null,
    changed: checked.changed.waitSeconds?.mean ?? null,
  };
  const moreEnded = checked.changed.jobs.ended - checked.configured.jobs.ended;
  const waitsEnough = (waits.changed ?? 0) <= (waits.configured ?? 0) * longestWait + graceSeconds;
  const holds = (certainty.cheaperShare ?? 0) >= sure && waitsEnough && moreEnded >= 0;
  return {
    verdict: Object.keys(found.varied).length === 0 ? "keep" : holds ? "change" : "unsure",
    varied: found.varied,
    runs: found.runs,
    isFinished: found.isFinished,
    tunedShare: before.savedShare,
    certainty,
    waitSeconds: waits,
    moreEnded,
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const saves = (share: number) =>
  share < 0 ? `it costs ${percent(-share)} more` : `it saves ${percent(share)}`;
const waited = (seconds: number | null) => (seconds === null ? "not known" : duration(seconds));

/** A suggestion for people, a sentence or a few each. */
export function suggestionText(suggestion: Suggestion): readonly string[] {
  const { verdict, varied, runs, isFinished, tunedShare, certainty, waitSeconds, moreEnded } = suggestion;
  const searched = `${runs} ${runs === 1 ? "run" : "runs"} on the first part of the workload${isFinished ? "" : "; the budget was over before every single change had been tried"}.`;
  if (verdict === "keep")
    return [
      `Keep the settings as configured: no change ${isFinished ? "of one of them" : "that was tried"} costs less.`,
      searched,
    ];
  const { days, savedShare, between, cheaperShare } = certainty;
  const onOther =
    between === null || cheaperShare === null
      ? `On the part that was not tuned on ${saves(savedShare)}. That part has ${days} ${days === 1 ? "day" : "days"}, too few to say how sure that is.`
      : `On the part that was not tuned on ${saves(savedShare)}: in 90 of 100 draws of its ${days} days between ${percent(between[0])} and ${percent(between[1])} is saved, and something in ${percent(cheaperShare)} of them.`;
  return [
    verdict === "change"
      ? `Use ${settingsText(varied)}.`
      : `Not sure: ${settingsText(varied)} may cost less.`,
    `${onOther} Where it was tuned ${saves(tunedShare)}.`,
    `There the mean wait is ${waited(waitSeconds.changed)}, and ${waited(waitSeconds.configured)} as configured.${moreEnded < 0 ? ` ${-moreEnded} fewer jobs run to their end.` : ""}`,
    searched,
  ];
}
