import {
  claimedBlob,
  claimedOrigin,
  claimedSequence,
  claimsTargets,
  describeSetAside,
  type Parsed,
  parseMessage,
  type QueueMessage,
  readBody,
  type SetAside,
  withClaimed,
} from "../../messages/index.ts";
import type { Ports } from "../../ports/index.ts";
import { type AcceptOutcome, acceptDemand } from "./accept-demand.ts";
import { type AcceptTargetsOutcome, acceptTargets } from "./accept-targets.ts";
import { readOnce } from "./configured.ts";
import { type HideNames, namesHidden } from "./hide-names.ts";
import { refuseDemand, tellRefused } from "./refuse-demand.ts";
import { type RawMessage, rejectItems } from "./reject.ts";

type ReceivePorts = Parameters<typeof acceptDemand>[0] &
  Pick<Ports, "events" | "ids" | "rejections" | "schedulerEvents" | "targets" | "uploads">;

export type ReceiveOutcome = AcceptOutcome | AcceptTargetsOutcome;

/**
 * Receives a message from the demand queue: fetches its claim check, checks it and merges it. Items that can be read
 * count; the others are recorded as rejections. A message that is refused whole is recorded with all its problems and
 * completed: it never blocks the messages behind it.
 */
export async function receiveDemand(given: ReceivePorts, sent: RawMessage): Promise<ReceiveOutcome> {
  const ports = { ...given, configs: readOnce(given.configs) };
  const hideNames = await namesHidden(ports, sent);
  const raw = { ...sent, body: hideNames(sent.body) };
  const outcome = await checkAndAccept(ports, raw.body, hideNames);
  if (outcome.outcome === "rejected")
    await refuseDemand(ports, raw, { kind: "invalid", problems: outcome.problems });
  if (outcome.outcome === "accepted" && outcome.setAside !== undefined)
    await reportItems(ports, raw, outcome.setAside.news);
  return outcome;
}

/** Reports items that were not set aside before: to the rejections, and to their source. */
async function reportItems(ports: ReceivePorts, raw: RawMessage, items: readonly SetAside[]): Promise<void> {
  await rejectItems(ports, raw, items);
  const { cluster, source } = claimedOrigin(raw.body);
  if (cluster === undefined || source === undefined || claimsTargets(raw.body)) return;
  const sequence = claimedSequence(raw.body) ?? null;
  await tellRefused(ports, {
    cluster,
    source,
    sequence,
    whole: false,
    problems: items.map(describeSetAside),
  });
}

async function checkAndAccept(
  ports: ReceivePorts,
  body: unknown,
  hideNames: HideNames,
): Promise<ReceiveOutcome> {
  const parsed = await checkDemand(ports, body, hideNames);
  if (!parsed.ok) return { outcome: "rejected", problems: parsed.problems };
  const { message, setAside } = parsed;
  return message.kind === "targets"
    ? acceptTargets(ports, message, { setAside })
    : acceptDemand(ports, message, setAside);
}

/** Checks a message with its claim check, in which names may have to be hidden; changes nothing. */
export async function checkDemand(
  ports: Pick<Ports, "uploads">,
  body: unknown,
  hideNames: HideNames = (claimed) => claimed,
): Promise<Parsed<QueueMessage>> {
  // Parsed once, for the claim check and for the message itself.
  const read = readBody(body);
  const blob = claimedBlob(read);
  if (blob === undefined) return parseMessage(read ?? body);
  const content = await ports.uploads.read(blob);
  if (content === undefined) return refused(`blob: "${blob}", expected the name of an uploaded blob`);
  return typeof content === "string"
    ? parseMessage(hideNames(withClaimed(read, content)))
    : refused(`blob: ${content.refused}`);
}

function refused(problem: string): Parsed<never> {
  return { ok: false, problems: [problem] };
}
