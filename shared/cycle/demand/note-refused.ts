import { untilWritten } from "../../errors/errors.ts";
import { claimedOrigin, claimedSequence, claimsTargets } from "../../messages/index.ts";
import { type Ports, type RefusedWord, type SourceDemand, unknownSource } from "../../ports/index.ts";
import { printable } from "../../text/text.ts";
import { configuredTtlSeconds } from "./configured.ts";

type NotePorts = Pick<Ports, "clock" | "configs" | "demand" | "log">;

const mostProblems = 3;
const longestProblem = 200;
/** A flood of refused messages must not write a source's demand again for each one. */
const leastGapSeconds = 5;

/**
 * Records that a demand message was refused whole. Which hosts its source uses is then not known until its next good
 * message, and no longer than a good message would have counted. So a sender can block deletions only while it keeps
 * sending.
 *
 * A message without a known source is recorded for the cluster, and expires by time alone: anybody may have sent it.
 */
export async function noteRefused(
  ports: NotePorts,
  message: { readonly cluster: string; readonly body: unknown; readonly problems: readonly string[] },
): Promise<Noted> {
  const ttlSeconds = await configuredTtlSeconds(ports, message.cluster);
  if (ttlSeconds === undefined) return "nothing-new";
  const noted = await untilWritten(() => save(ports, { ...message, ttlSeconds }));
  const { source } = claimedOrigin(message.body);
  if (noted !== "nothing-new")
    ports.log.warn("demand-unknown", { cluster: message.cluster, source: source && printable(source) });
  return noted;
}

/**
 * `news`: a known source was not refused for this before. `once-more`: the same again, or without a known source to
 * report to. `nothing-new`: a newer message took effect, or the same was recorded a moment ago.
 */
export type Noted = "news" | "once-more" | "nothing-new";

interface Refused {
  readonly cluster: string;
  readonly body: unknown;
  readonly problems: readonly string[];
  readonly ttlSeconds: number;
}

async function save(ports: NotePorts, refused: Refused): Promise<Noted> {
  const { cluster, body } = refused;
  const { source: claimed } = claimedOrigin(body);
  const storedClaimed =
    claimed === undefined || claimed === unknownSource || claimsTargets(body)
      ? undefined
      : await ports.demand.load(cluster, claimed);
  const stored = storedClaimed ?? (await ports.demand.load(cluster, unknownSource));
  const nowSeconds = ports.clock.nowSeconds();
  const next = withRefused(stored?.value ?? nobody(cluster, nowSeconds), {
    ...refused,
    nowSeconds,
    claimedSource: storedClaimed === undefined ? (claimed ?? null) : null,
  });
  if (next === undefined) return "nothing-new";
  await ports.demand.save(next, stored?.etag);
  const isSame =
    JSON.stringify(storedClaimed?.value.refused?.problems) === JSON.stringify(next.refused?.problems);
  return storedClaimed === undefined || isSame ? "once-more" : "news";
}

function nobody(cluster: string, nowSeconds: number): SourceDemand {
  const times = { receivedAtSeconds: nowSeconds, expiresAtSeconds: nowSeconds };
  return { cluster, source: unknownSource, sequence: 0, ...times, jobs: [], nodes: [], ignoredMessages: 0 };
}

/** Undefined: a newer message took effect before, or this one was recorded a moment ago. */
function withRefused(
  demand: SourceDemand,
  refused: Omit<Refused, "cluster"> & {
    readonly nowSeconds: number;
    readonly claimedSource: string | null;
  },
): SourceDemand | undefined {
  const { body, problems, ttlSeconds, nowSeconds, claimedSource } = refused;
  const isNobodys = demand.source === unknownSource;
  const sequence = isNobodys ? undefined : claimedSequence(body);
  const isLive = demand.expiresAtSeconds > nowSeconds;
  if (isLive && sequence !== undefined && sequence <= demand.sequence) return undefined;
  const { refused: before } = demand;
  const isGoingOn = before !== undefined && before.untilSeconds > nowSeconds;
  if (isGoingOn && nowSeconds < before.lastSeconds + leastGapSeconds) return undefined;
  // A source that posts seldom has a longer time to live, and this record keeps it.
  const ownTtlSeconds = demand.expiresAtSeconds - demand.receivedAtSeconds;
  const word: RefusedWord = {
    sinceSeconds: isGoingOn ? before.sinceSeconds : nowSeconds,
    lastSeconds: nowSeconds,
    untilSeconds: nowSeconds + Math.max(ttlSeconds, ownTtlSeconds),
    sequence: latest(sequence, isGoingOn ? before.sequence : null),
    messages: (isGoingOn ? before.messages : 0) + 1,
    problems: problems.slice(0, mostProblems).map((problem) => problem.slice(0, longestProblem)),
    claimedSource,
  };
  const times = isNobodys ? { receivedAtSeconds: nowSeconds, expiresAtSeconds: nowSeconds } : {};
  return { ...demand, ...times, refused: word };
}

function latest(sequence: number | undefined, before: number | null): number | null {
  return sequence === undefined ? before : Math.max(sequence, before ?? sequence);
}
