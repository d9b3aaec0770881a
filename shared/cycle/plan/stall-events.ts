import type { NotedEvent, StalledJob } from "../../ports/index.ts";
import { counted, someOf } from "../../text/text.ts";
import { eventsOf } from "../note-events.ts";
import type { StallNews } from "./stalled-jobs.ts";

/** What people find later: that jobs were not started, and how it ended. */
export function stallEvents({ began, ended }: StallNews, atSeconds: number): readonly NotedEvent[] {
  return [
    ...began.flatMap((row) => {
      const where = `${someOf(row.nodes)} ${row.nodes.length === 1 ? "is" : "are"} up with room for ${roomOf(row)}`;
      const words = row.reason === null ? "it gives no reason" : `it says "${row.reason}"`;
      return eventOf("jobs-stalled", row, { reason: `${subjectOf(row)}: ${where}; ${words}`, atSeconds });
    }),
    ...ended.flatMap((row) => {
      const reason = `${subjectOf(row)}: ${endWords[row.why]}`;
      return eventOf("jobs-unstalled", row, { reason, atSeconds });
    }),
  ];
}

const endWords: Readonly<Record<StallNews["ended"][number]["why"], string>> = {
  started: "started",
  gone: "no longer wanted",
  "tried-again": "such nodes count again, to see whether it starts now",
};

function subjectOf({ jobs }: StalledJob): string {
  const others = jobs.length > 1 ? ` and ${counted(jobs.length - 1, "more jobs")} like it` : "";
  return `"${jobs[0]?.name ?? ""}"${others}`;
}

function roomOf({ asked, granted }: StalledJob): string {
  return granted < asked ? `${granted} of ${asked}` : "it";
}

function eventOf(
  kind: "jobs-stalled" | "jobs-unstalled",
  { source, shape }: StalledJob,
  { reason, atSeconds }: { readonly reason: string; readonly atSeconds: number },
): readonly NotedEvent[] {
  const events = eventsOf({ kind, by: null, source, reason, atSeconds }, null);
  return events.map((event) => ({ ...event, eventId: `${kind}:${shape}` }));
}
