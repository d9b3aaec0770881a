import type { CauseView } from "../../api/index.ts";
import type { Reason } from "../../engine/index.ts";
import { type OutlookJob, outlookJobs, unitOf, waits } from "../job-states.ts";
import { type NodeViews, nodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { causesOf } from "./causes.ts";
import { explainTarget } from "./explain-target.ts";

/** The first sentence of `explain` for any job. Jobs that wait alike are looked into once: a page may have a thousand. */
export function firstSentences(outlook: Outlook): (each: OutlookJob) => string | null {
  let views: NodeViews | undefined;
  const byReasons = new Map<readonly Reason[], Map<string, string | null>>();
  return (each) => {
    const { job, outcome } = each;
    // Jobs that wait for the same cause share one list of reasons, so its identity is enough to compare.
    const alike = byReasons.get(outcome.reasons) ?? new Map<string, string | null>();
    byReasons.set(outcome.reasons, alike);
    const key = JSON.stringify([job.source, job.colocated, unitOf(job), outcome.asked, outcome.granted]);
    const sentence = alike.get(key);
    if (sentence !== undefined) return sentence;
    views ??= nodeViews(outlook);
    const made = firstSentence(causesOf(outlook, views, each));
    alike.set(key, made);
    return made;
  };
}

/** Leaves out that a part has a place: the figures beside the sentence show it. */
function firstSentence(causes: readonly CauseView[]): string | null {
  const why = causes.find(({ kind }) => kind !== "partly-placed") ?? causes[0];
  return why === undefined ? null : (/^.*?[.?!](?=\s+[A-Z"]|$)/s.exec(why.text)?.[0] ?? why.text);
}

/** The same by name, for records that have no more: null of what is unknown, or waits for nothing. */
export function firstReasons(outlook: Outlook): {
  readonly ofJob: (name: string) => string | null;
  readonly ofTarget: (name: string, requestSet: string) => string | null;
} {
  const sentenceOf = firstSentences(outlook);
  const waiting = new Map<string, OutlookJob>();
  for (const each of outlookJobs(outlook)) {
    const { name } = each.job;
    // Several sources may have jobs of one name: the first in the queue is the one that the plan names first.
    if (waits(each.outcome) && !waiting.has(name)) waiting.set(name, each);
  }
  return {
    ofJob: (name) => {
      const each = waiting.get(name);
      return each === undefined ? null : sentenceOf(each);
    },
    ofTarget: (name, requestSet) => {
      const explained = explainTarget(outlook, name, requestSet);
      if (explained.outcome !== "explained" || explained.answer.granted >= explained.answer.asked)
        return null;
      return firstSentence(explained.answer.causes);
    },
  };
}
