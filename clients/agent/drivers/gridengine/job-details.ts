import { reasonText } from "../scheduler-words.ts";
import type { Details } from "./memory.ts";
import { childrenOf, type Element, textOf } from "./xml.ts";

/** By job; undefined when the text is not what qstat prints. */
export function readDetails(root: Element | undefined): ReadonlyMap<string, Details> | undefined {
  // All of them are gone.
  if (root?.name === "unknown_jobs") return new Map();
  if (root?.name !== "detailed_job_info") return undefined;
  const reasons = new Map<string, string>();
  const messages = childrenOf(root, "messages").flatMap((each) => childrenOf(each, "element"));
  for (const message of messages.flatMap((each) => childrenOf(each, "SME_message_list")))
    for (const each of childrenOf(message, "element")) {
      const said = textOf(each, "MES_message") ?? "";
      // What it says last is about the job as a whole, after what it says of single queues.
      for (const id of childrenOf(each, "MES_job_number_list").flatMap(({ elements }) => elements))
        reasons.set(textOf(id, "ULNG_value") ?? "", reasonText(said));
    }
  const jobs = childrenOf(root, "djob_info").flatMap((each) => childrenOf(each, "element"));
  return new Map(
    jobs.map((job) => {
      const id = textOf(job, "JB_job_number") ?? "";
      const details: Details = {
        most: numberIn(job, "JB_ja_task_concurrency"),
        notBefore: secondsOf(numberIn(job, "JB_execution_time")),
        reservation: numberIn(job, "JB_ar"),
        // Bits for qsh, qlogin, qrsh, and qrsh without a command.
        isInteractive: (numberIn(job, "JB_type") & 0b11110) !== 0,
        checkpoint: textOf(job, "JB_checkpoint_name") ?? "",
        reason: reasons.get(id) ?? "",
      };
      return [id, details];
    }),
  );
}

function numberIn(job: Element, name: string): number {
  const value = Number(textOf(job, name) ?? 0);
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** Later releases count milliseconds. */
function secondsOf(time: number): number {
  return time > 100_000_000_000 ? time / 1000 : time;
}
