import { claimedOrigin, describeSetAside, type SetAside } from "../../messages/index.ts";
import { azureLimits, type Ports, type Rejection, type RejectionKind } from "../../ports/index.ts";
import { redactText } from "../../text/redact.ts";

const longestExcerpt = 500;
const mostProblems = 60;
const longestProblem = 1_000;

/** A message as it came from a queue: text or JSON, not checked. */
export interface RawMessage {
  readonly body: unknown;
  /** The queue's own id of it: a message that is delivered twice is rejected once. */
  readonly messageId: string;
  readonly queue: string;
  /** Number of deliveries, this one included, if the queue counts them. */
  readonly attempts?: number | undefined;
}

/** Records a message that was refused, with all of it, so that it can be replayed. */
export async function reject(
  ports: Pick<Ports, "clock" | "configs" | "log" | "rejections">,
  raw: RawMessage,
  why: { readonly kind: RejectionKind; readonly problems: readonly string[] },
): Promise<void> {
  const { cluster: claimedCluster, source } = claimedOrigin(raw.body);
  // Kept with a cluster only when that cluster exists: otherwise nobody would ever see it.
  const cluster = (await ports.configs.clusters()).find((each) => each === claimedCluster);
  const text = textOf(raw.body);
  const rejection: Rejection = {
    rejectionId: raw.messageId,
    kind: why.kind,
    cluster,
    source,
    queue: raw.queue,
    receivedAtSeconds: ports.clock.nowSeconds(),
    attempts: raw.attempts,
    problems: why.problems.slice(0, mostProblems).map(shortened),
    // The body stays as it came, for a replay; what is shown of it does not.
    excerpt: redactText(text ?? "(nested too deeply to be shown)").slice(0, longestExcerpt),
  };
  // Any queue message fits, so that nothing of it is lost.
  const isKept = text !== undefined && Buffer.byteLength(text) <= azureLimits.storageQueue.messageBytes;
  await ports.rejections.add({ rejection, body: isKept ? text : undefined });
  report(ports, rejection);
}

/**
 * Records items that were set aside, once: a scheduler posts the same bad job every few seconds while it waits. The
 * whole message is kept with them.
 */
export async function rejectItems(
  ports: Pick<Ports, "clock" | "configs" | "ids" | "log" | "rejections">,
  raw: RawMessage,
  items: readonly SetAside[],
): Promise<void> {
  if (items.length === 0) return;
  const { cluster, source } = claimedOrigin(raw.body);
  const problems = items.map(describeSetAside);
  const words = items.map((item) => describeSetAside({ ...item, index: 0 })).sort();
  const messageId = `set-aside-${ports.ids.digest(JSON.stringify([cluster, source, words]))}`;
  await reject(ports, { ...raw, messageId }, { kind: "set-aside", problems });
}

/**
 * The Functions host passes JSON as values. Undefined for values nested too deeply for JSON.stringify, which JSON.parse
 * could read.
 */
function textOf(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  try {
    return JSON.stringify(body) ?? "";
  } catch {
    return undefined;
  }
}

function shortened(said: string): string {
  const problem = redactText(said);
  return problem.length <= longestProblem ? problem : `${problem.slice(0, longestProblem)}…`;
}

/** A sender has to fix its invalid messages; an operator handles messages that were given up. */
function report(ports: Pick<Ports, "log">, rejection: Rejection): void {
  const { rejectionId, kind, cluster, source, queue, attempts, problems } = rejection;
  const fields = { cluster, source, queue, rejectionId, kind, attempts, problems: problems.join("; ") };
  if (kind === "invalid" || kind === "set-aside") ports.log.warn("rejected", fields);
  else ports.log.error("rejected", fields);
}
