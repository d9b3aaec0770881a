import type {
  Candidate,
  Destination,
  Incident,
  Notice,
  NotificationKind,
  NotificationRecord,
} from "../ports/index.ts";
import type { Finding } from "../views/index.ts";

/** How long an incident must be absent to be over. If it returns earlier, it is the same incident. */
function quietSeconds(kind: NotificationKind): number {
  // After a pause the array gets nodes again, which need time to boot or fail.
  return kind === "boots-failing" ? 3_600 : 300;
}

/** Most messages kept for a receiver that is down. */
const mostWaiting = 100;

/** A clock that was ahead must not keep an incident waiting until that time comes. */
const furthestAheadSeconds = 60;

export interface Seen {
  readonly findings: readonly Finding[];
  /** Undefined: the configuration cannot be read, and the earlier destinations stay. */
  readonly destinations: readonly Destination[] | undefined;
  readonly nowSeconds: number;
  readonly digest: (text: string) => string;
}

/** The record before the first check. */
export function emptyRecord(cluster: string): NotificationRecord {
  return { cluster, destinations: [], incidents: [], candidates: [], outbox: [], deliveries: [] };
}

/** The record after a check of the cluster: incidents that began or are over, and the messages about both. */
export function keepIncidents(before: NotificationRecord, seen: Seen): NotificationRecord {
  const record = withDestinations(before, seen.destinations ?? before.destinations);
  const { nowSeconds } = seen;
  const open = new Map(record.incidents.map((incident) => [incident.key, incident]));
  const candidates = candidatesOf(record, seen, open);
  const isRipe = ({ key, waitSeconds }: Finding) =>
    nowSeconds - (candidates.find((each) => each.key === key)?.sinceSeconds ?? nowSeconds) >= waitSeconds;
  const begun = seen.findings
    .filter((finding) => finding.opens && !open.has(finding.key) && isRipe(finding))
    .map((finding) => begin(record, finding, seen));
  const foundKeys = new Set(seen.findings.map(({ key }) => key));
  const marked = record.incidents.map((incident) => mark(incident, foundKeys.has(incident.key), nowSeconds));
  const isOver = ({ kind, unseenSinceSeconds }: Incident) =>
    unseenSinceSeconds !== null && nowSeconds - unseenSinceSeconds >= quietSeconds(kind);
  const over = marked.filter(isOver);
  return {
    ...record,
    incidents: [...marked.filter((incident) => !isOver(incident)), ...begun],
    candidates: candidates.filter(({ key }) => !begun.some((incident) => incident.key === key)),
    outbox: [
      ...record.outbox,
      ...over.flatMap((incident) => noticesOf(record.cluster, incident, "over")),
      ...begun.flatMap((incident) => noticesOf(record.cluster, incident, "begun")),
    ],
  };
}

/** Destinations that are no longer in the configuration receive nothing. */
function withDestinations(
  record: NotificationRecord,
  destinations: readonly Destination[],
): NotificationRecord {
  const settings = new Set(destinations.map(({ urlSetting }) => urlSetting));
  return {
    ...record,
    destinations,
    incidents: record.incidents.map((incident) => ({
      ...incident,
      tellTo: incident.tellTo.filter((to) => settings.has(to)),
    })),
    outbox: record.outbox.filter(({ to }) => settings.has(to)),
    deliveries: record.deliveries.filter(({ to }) => settings.has(to)),
  };
}

/** Findings that must last before they open an incident, with the time since when they do. */
function candidatesOf(
  record: NotificationRecord,
  { findings, nowSeconds }: Seen,
  open: ReadonlyMap<string, Incident>,
): readonly Candidate[] {
  return findings
    .filter(({ opens, waitSeconds, key }) => opens && waitSeconds > 0 && !open.has(key))
    .map(({ key, state }) => {
      const candidate = record.candidates.find((each) => each.key === key && each.state === state);
      const isPast = candidate !== undefined && candidate.sinceSeconds <= nowSeconds + furthestAheadSeconds;
      return isPast ? candidate : { key, state, sinceSeconds: nowSeconds };
    });
}

function begin(record: NotificationRecord, finding: Finding, { nowSeconds, digest }: Seen): Incident {
  const { opens: _opens, waitSeconds: _waits, state: _state, ...words } = finding;
  const waiting = (to: string) => record.outbox.filter((notice) => notice.to === to).length;
  return {
    ...words,
    id: digest(JSON.stringify([record.cluster, finding.key, nowSeconds])),
    sinceSeconds: nowSeconds,
    unseenSinceSeconds: null,
    tellTo: record.destinations
      .filter(({ kinds, urlSetting }) => kinds.includes(finding.kind) && waiting(urlSetting) < mostWaiting)
      .map(({ urlSetting }) => urlSetting),
  };
}

function mark(incident: Incident, isSeen: boolean, nowSeconds: number): Incident {
  const { unseenSinceSeconds } = incident;
  if (isSeen) return unseenSinceSeconds === null ? incident : { ...incident, unseenSinceSeconds: null };
  const isPast = unseenSinceSeconds !== null && unseenSinceSeconds <= nowSeconds + furthestAheadSeconds;
  return isPast ? incident : { ...incident, unseenSinceSeconds: nowSeconds };
}

function noticesOf(cluster: string, incident: Incident, phase: Notice["phase"]): readonly Notice[] {
  const { kind, problem, subject, text, next, command, id, sinceSeconds } = incident;
  const words = { kind, problem, subject, text, next, command };
  const atSeconds = phase === "begun" ? sinceSeconds : (incident.unseenSinceSeconds ?? sinceSeconds);
  return incident.tellTo.map((to) => ({
    ...words,
    id: `${id}-${phase}`,
    incident: id,
    phase,
    to,
    cluster,
    sinceSeconds,
    atSeconds,
  }));
}
