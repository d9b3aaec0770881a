import type { ReplayAnswer, ReplayBody } from "../api/index.ts";
import { prepareReplay, type Replay, type ReplayPorts, replay } from "../cycle/index.ts";
import { counted } from "../text/text.ts";
import { findReject } from "../views/index.ts";

export type ReplayOutcome =
  | { readonly outcome: "answered"; readonly answer: ReplayAnswer }
  | { readonly outcome: "refused"; readonly problems: readonly string[] }
  | { readonly outcome: "not-found" };

/** Sends a rejected message again, or a corrected one in its place; a dry run reports what would be done. */
export async function replayReject(
  ports: ReplayPorts,
  id: { readonly cluster: string; readonly rejectionId: string },
  { message, dryRun }: ReplayBody,
): Promise<ReplayOutcome> {
  const reject = await findReject(ports, id.cluster, id.rejectionId);
  if (reject === undefined) return { outcome: "not-found" };
  const prepared = await prepareReplay(ports, reject, message);
  if (prepared.kind === "refused") return { outcome: "refused", problems: prepared.problems };
  if (!dryRun) await replay(ports, reject.rejection, prepared);
  const { verb, what } = wordsOf(prepared);
  const summary = dryRun ? `Would ${verb[0]} ${what}.` : `${verb[1]} ${what}.`;
  const answer: ReplayAnswer = {
    cluster: id.cluster,
    atSeconds: ports.clock.nowSeconds(),
    outcome: dryRun ? "would" : "done",
    summary,
  };
  return { outcome: "answered", answer };
}

function wordsOf(prepared: Exclude<Replay, { kind: "refused" }>): {
  readonly verb: readonly [would: string, done: string];
  readonly what: string;
} {
  if (prepared.kind === "request-plan")
    return { verb: ["ask for", "Asked for"], what: `a plan of cluster "${prepared.cluster}"` };
  const { message } = prepared;
  const { kind, source, cluster, sequence, sentAt } = message;
  const content =
    message.kind === "targets"
      ? counted(message.arrays.length, "node arrays")
      : counted(message.jobs.length, "jobs");
  const what = `${kind} ${sequence} of source "${source}", sent ${sentAt}, with ${content}, for cluster "${cluster}"`;
  return { verb: ["post", "Posted"], what };
}
