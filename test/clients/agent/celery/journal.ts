import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const entrySchema = z.object({
  what: z.enum(["began", "ended"]),
  task: z.string(),
  host: z.string(),
  at: z.number(),
});

/** What the tasks wrote down themselves. */
export interface Journal {
  readonly ended: number;
  /** Tasks that began and never ended. */
  readonly lost: readonly string[];
  /** Tasks that began more than once. */
  readonly twice: readonly string[];
  /** Whether a task ran on the host at that time. */
  ranOn(host: string, atSeconds: number): boolean;
}

export function readJournal(file: string): Journal {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  // The last line may be half written.
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean);
  const entries = lines.map((line) => entrySchema.parse(JSON.parse(line)));
  const byTask = Map.groupBy(entries, (entry) => entry.task);
  const runs = [...byTask].map(([task, all]) => ({
    task,
    host: all[0]?.host,
    beganAt: all.filter(({ what }) => what === "began").map(({ at }) => at),
    endedAt: all.filter(({ what }) => what === "ended").map(({ at }) => at),
  }));
  return {
    ended: runs.filter(({ endedAt }) => endedAt.length > 0).length,
    lost: runs.filter(({ endedAt }) => endedAt.length === 0).map(({ task }) => task),
    twice: runs.filter(({ beganAt }) => beganAt.length > 1).map(({ task }) => task),
    ranOn: (host, atSeconds) =>
      runs.some(
        (run) =>
          run.host === host &&
          run.beganAt.some((at) => at <= atSeconds) &&
          !run.endedAt.some((at) => at <= atSeconds),
      ),
  };
}
