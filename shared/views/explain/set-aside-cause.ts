import type { CauseView, ExplainAnswer } from "../../api/index.ts";
import type { Job } from "../../engine/index.ts";
import { counted } from "../../text/text.ts";
import type { Outlook } from "../outlook.ts";
import { nameOf, type SetAsideJob, setAsideJobs, whyAside } from "../set-aside-jobs.ts";
import { cause } from "./cause.ts";

/** Why nothing is planned for a job, or why what is known of it may be old. */
export function setAsideCauses(
  outlook: Outlook,
  { name, source }: Pick<Job, "name" | "source">,
): readonly CauseView[] {
  const found = setAsideJobs(outlook).find((each) => each.source === source && nameOf(each.item) === name);
  return found === undefined ? [] : [causeOf(found)];
}

function causeOf({ source, item }: SetAsideJob): CauseView {
  const hosts = item.running?.hostnames.length ?? 0;
  const kept = hosts === 0 ? "" : `; it runs on ${counted(hosts, "hosts")}, whose nodes stay`;
  return cause("set-aside", {
    text: `The newest word about it does not check out, so nothing is planned for it: ${whyAside(item)}${kept}.`,
    next: `Submit the job anew without that, or fix what posts the demand of "${source}"; the next message that checks out counts at once.`,
  });
}

/** Explains a job that was set aside and runs nowhere. */
export function explainSetAside(outlook: Outlook, found: SetAsideJob): ExplainAnswer {
  const job = nameOf(found.item);
  const { cluster, atSeconds } = outlook;
  const why = causeOf(found);
  const headline = `Job "${job}" is set aside.`;
  return {
    cluster,
    atSeconds,
    job,
    source: found.source,
    state: "set-aside",
    unit: "slots",
    asked: 0,
    granted: 0,
    headline,
    summary: `${headline} ${why.text}`,
    places: [],
    placeCount: 0,
    causes: [why],
    raise: null,
    refusals: [],
    sizes: [],
    planner: [],
    request: null,
    notes: [],
    warnings: [],
  };
}
