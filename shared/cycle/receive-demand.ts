import { claimedBlob, claimedOrigin, parseDemand, withClaimed } from "../messages/job-demand.ts";
import type { Ports } from "../ports.ts";
import { type AcceptOutcome, acceptDemand } from "./accept-demand.ts";

const longestExcerpt = 500;

type ReceivePorts = Parameters<typeof acceptDemand>[0] & Pick<Ports, "rejections" | "uploads">;

/** A message as it came from a queue: text or JSON, checked by nobody. */
export interface RawMessage {
  readonly body: unknown;
  /** The queue's own id of it: a message that is delivered twice is rejected once. */
  readonly messageId: string;
  readonly queue: string;
}

/**
 * Takes a message off the demand queue: fetches what it claims, checks it and merges it. One that is not what it should
 * be is recorded with every problem named, and is then done with: it never blocks what stands behind it.
 */
export async function receiveDemand(ports: ReceivePorts, raw: RawMessage): Promise<AcceptOutcome> {
  const outcome = await checkAndAccept(ports, raw.body);
  if (outcome.outcome === "rejected") await reject(ports, raw, outcome.problems);
  return outcome;
}

async function checkAndAccept(ports: ReceivePorts, body: unknown): Promise<AcceptOutcome> {
  const whole = await claimed(ports, body);
  if ("problem" in whole) return { outcome: "rejected", problems: [whole.problem] };
  const parsed = parseDemand(whole.body);
  return parsed.ok ? acceptDemand(ports, parsed.message) : { outcome: "rejected", problems: parsed.problems };
}

async function claimed(
  ports: ReceivePorts,
  body: unknown,
): Promise<{ readonly body: unknown } | { readonly problem: string }> {
  const blob = claimedBlob(body);
  if (blob === undefined) return { body };
  const content = await ports.uploads.read(blob);
  if (content === undefined) return { problem: `blob: "${blob}", expected the name of an uploaded blob` };
  return typeof content === "string"
    ? { body: withClaimed(body, content) }
    : { problem: `blob: ${content.refused}` };
}

/** Records a message that was not taken. */
export async function reject(
  ports: Pick<Ports, "clock" | "configs" | "log" | "rejections">,
  raw: RawMessage,
  problems: readonly string[],
): Promise<void> {
  const { cluster: claimedCluster, source } = claimedOrigin(raw.body);
  // Kept with a cluster only when there is one of that name: else nobody would ever see it.
  const cluster = (await ports.configs.clusters()).find((known) => known === claimedCluster);
  const text = typeof raw.body === "string" ? raw.body : (JSON.stringify(raw.body) ?? "");
  await ports.rejections.add({
    rejectionId: raw.messageId,
    cluster,
    source,
    queue: raw.queue,
    receivedAtSeconds: ports.clock.nowSeconds(),
    problems,
    excerpt: text.slice(0, longestExcerpt),
  });
  ports.log.warn("rejected", { cluster, source, queue: raw.queue, problems: problems.join("; ") });
}
