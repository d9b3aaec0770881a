import { z } from "zod";
import { printableCut } from "../../../../shared/text/text.ts";
import { commandOf } from "../configured.ts";
import type { Correction, Memory } from "../driver.ts";
import { ours } from "./slurm-nodes.ts";
import type { JobRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** `scontrol show job` shows the user of a job why no node is bought for it. */
const beginning = `${ours}: no node is bought for this job: `;
const longest = 250;

/** scontrol calls the controller once for each job. */
const mostAtOnce = 100;
const mostJobs = 1000;

const triedSchema = z.record(z.string(), z.string());

/**
 * What jobs are to be told that are left out, and what jobs must not say any more. Each is tried once: a user who may not
 * change jobs is refused every time. A comment of somebody else stays.
 */
export function adminComments(
  records: readonly JobRecord[],
  leftOut: ReadonlyMap<number, string>,
  { comments }: Memory,
  { scontrol }: SlurmSettings,
): { readonly corrections: readonly Correction[]; readonly memory: Memory } {
  const before = triedSchema.safeParse(comments).data ?? {};
  const tried: Record<string, string> = {};
  // scontrol takes the number of an array or heterogeneous job for all its tasks or parts.
  const others = new Set(
    records
      .filter(({ admin_comment: now }) => now !== "" && !now.startsWith(beginning))
      .flatMap(({ job_id, array_job_id, het_job_id }) => [job_id, array_job_id, het_job_id]),
  );
  const due: { readonly id: number; readonly text: string }[] = [];
  for (const { job_id: id, admin_comment: now } of records) {
    const reason = leftOut.get(id);
    if (others.has(id) || (now === "" && reason === undefined)) continue;
    const text = reason === undefined ? "" : printableCut(`${beginning}${reason}`, longest);
    if (text === now) continue;
    if (before[id] === text) tried[id] = text;
    else if (due.length < mostAtOnce && Object.keys(tried).length < mostJobs) {
      due.push({ id, text });
      tried[id] = text;
    }
  }
  const corrections = [...Map.groupBy(due, ({ text }) => text)].map(([text, jobs]) =>
    commandOf(
      scontrol,
      ["update", `JobId=${jobs.map(({ id }) => id).join(",")}`, `AdminComment=${text}`],
      [1],
    ),
  );
  return { corrections, memory: Object.keys(tried).length === 0 ? {} : { comments: tried } };
}
