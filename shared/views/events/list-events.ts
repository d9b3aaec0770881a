import { type Cursor, type EventsAnswer, type EventsQuery, encodeCursor } from "../../api/index.ts";
import { shortHostname } from "../../engine/index.ts";
import type { NodeLoss, PlanRecord, Ports } from "../../ports/index.ts";
import { redactText } from "../../text/redact.ts";
import { printableCut } from "../../text/text.ts";
import { apartSeconds, lostIn, namedIn, ofLosses } from "./of-losses.ts";
import {
  type FoundEvent,
  type NamedNode,
  ofHistory,
  ofNoted,
  ofOperation,
  ofPlan,
  ofRejection,
} from "./of-records.ts";

export type EventPorts = Pick<
  Ports,
  "clock" | "events" | "history" | "losses" | "operations" | "plans" | "rejections"
>;

const usualSeconds = 3_600;
/** An action ends within this time of its beginning, and its end may be in a period that its beginning is not. */
const longestActionSeconds = 86_400;
const mostOfARecord = 2_000;
/** So many nodes may be drained, or lost, in one second; a page ends between seconds, never within one. */
const mostOfASecond = 200_000;
const mostNodes = 50;
const longestText = 1_000;

interface Period {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** Events of one kind of record in a period; with `wholeSince` when only those from then on are complete. */
interface Read {
  readonly events: readonly FoundEvent[];
  readonly wholeSince: number | null;
}

/**
 * One list of what happened, newest first, those of one time by their ids: from the records that there are. A record of which
 * too many are in the period ends the page where they begin to be missing, so that no event is left out.
 */
export async function listEvents(
  ports: EventPorts,
  cluster: string,
  query: EventsQuery,
): Promise<EventsAnswer> {
  const atSeconds = ports.clock.nowSeconds();
  const fromSeconds = query.from ?? atSeconds - usualSeconds;
  const untilSeconds = Math.min(query.cursor?.[0] ?? Number.POSITIVE_INFINITY, query.until ?? atSeconds);
  const period = { fromSeconds, untilSeconds };
  const reads = await Promise.all([
    // No plan is about a node, and the many of a week would end the page early.
    query.node === undefined ? plans(ports, cluster, period) : { events: [], wholeSince: null },
    operations(ports, cluster, period),
    rest(ports, cluster, period, query.node),
  ]);
  const missingBefore = Math.max(
    Number.NEGATIVE_INFINITY,
    ...reads.flatMap(({ wholeSince }) => wholeSince ?? []).filter((since) => since < untilSeconds),
  );
  const found = reads
    .flatMap(({ events }) => events)
    .filter((event) => event.atSeconds >= fromSeconds && event.atSeconds <= untilSeconds)
    .filter((event) => event.atSeconds > missingBefore && isAfter(event, query.cursor))
    .filter((event) => query.kind === undefined || query.kind.includes(event.kind))
    .filter((event) => query.node === undefined || isAbout(event, query.node))
    .toSorted((a, b) => b.atSeconds - a.atSeconds || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  const next =
    last !== undefined && found.length > page.length
      ? encodeCursor([last.atSeconds, last.id])
      : missingBefore >= fromSeconds
        ? encodeCursor([missingBefore, ""])
        : null;
  return { cluster, atSeconds, fromSeconds, events: page.map(toView), next, total: null };
}

function isAfter({ atSeconds, id }: FoundEvent, cursor: Cursor | undefined): boolean {
  return cursor === undefined || atSeconds < cursor[0] || (atSeconds === cursor[0] && id > cursor[1]);
}

function isAbout({ nodes }: FoundEvent, asked: string): boolean {
  return nodes.some((node) => isNamed(node, asked));
}

/** Names and host names come again: several may be meant. */
export function isNamed(
  { name, nodeId, hostname }: Pick<NamedNode, "name" | "nodeId" | "hostname">,
  asked: string,
): boolean {
  return (
    name === asked ||
    nodeId === asked ||
    (hostname !== null && shortHostname(hostname) === shortHostname(asked))
  );
}

/** Names, reasons and messages come from outside. */
function toView({ nodes, text, ...event }: FoundEvent): EventsAnswer["events"][number] {
  const names = nodes.slice(0, mostNodes).map(({ name }) => name);
  return {
    ...event,
    text: printableCut(redactText(text), longestText),
    nodes: names,
    nodeCount: nodes.length,
  };
}

async function plans(ports: EventPorts, cluster: string, { untilSeconds }: Period): Promise<Read> {
  const { records, wholeSince } = await newest(
    (limit) => ports.plans.list(cluster, limit, untilSeconds),
    ({ atSeconds }) => atSeconds,
  );
  const changed = records.filter((record, index) => !isHeldAgain(record, records[index + 1]));
  return { events: changed.flatMap(ofPlan), wholeSince };
}

/** A cluster that is held makes a plan whenever its clock says so, and each wants what the one before wanted. */
function isHeldAgain(plan: PlanRecord, before: PlanRecord | undefined): boolean {
  return (
    plan.held !== undefined &&
    plan.held === before?.held &&
    plan.create === before.create &&
    plan.start === before.start &&
    plan.retire === before.retire
  );
}

async function operations(ports: EventPorts, cluster: string, period: Period): Promise<Read> {
  const since = period.fromSeconds - longestActionSeconds;
  const { records, wholeSince } = await newest(
    (limit) => ports.operations.recent(cluster, limit, since, period.untilSeconds),
    ({ createdAtSeconds }) => createdAtSeconds,
  );
  return { events: records.flatMap(ofOperation), wholeSince };
}

async function rest(
  ports: EventPorts,
  cluster: string,
  period: Period,
  node: string | undefined,
): Promise<Read> {
  const { fromSeconds, untilSeconds } = period;
  const rejections = (of: string | undefined) =>
    newest(
      (limit) => ports.rejections.list(of, limit, untilSeconds),
      ({ receivedAtSeconds }) => receivedAtSeconds,
    );
  const [rows, losses, around, own, nobodys, noted] = await Promise.all([
    ports.history.list(cluster),
    newest((limit) => ports.losses.recent(cluster, limit, fromSeconds, untilSeconds), atSecondsOf),
    // A loss may be noticed twice, some seconds apart, and one event is of a whole second: once in the period, once beside it.
    Promise.all([
      ports.losses.recent(cluster, mostOfASecond, fromSeconds - apartSeconds, fromSeconds),
      ports.losses.recent(cluster, mostOfASecond, untilSeconds, untilSeconds + apartSeconds),
    ]),
    rejections(cluster),
    // Messages that name no cluster may be of any.
    rejections(undefined),
    newest((limit) => ports.events.list(cluster, { fromSeconds, untilSeconds, limit }), atSecondsOf),
  ]);
  // When one node is asked for, its events name it alone, not others that did the same at once.
  const isAsked = (each: NamedNode) => node === undefined || isNamed(each, node);
  const lost = distinct([...losses.records, ...around.flat()]);
  const events = [
    ...ofHistory(rows.filter(isAsked), lostIn(lost)),
    ...ofLosses(node === undefined ? lost : lost.filter((loss) => namedIn(loss).some(isAsked))),
    ...own.records.map(ofRejection),
    ...nobodys.records.map(ofRejection),
    ...ofNoted(noted.records.filter((each) => each.node === null || isAsked(each.node))),
  ];
  const since = [losses, own, nobodys, noted].flatMap(({ wholeSince }) => wholeSince ?? []);
  return { events, wholeSince: since.length === 0 ? null : Math.max(...since) };
}

/** What lies at the edge of two periods is in both. */
function distinct(losses: readonly NodeLoss[]): readonly NodeLoss[] {
  return [...new Map(losses.map((loss) => [loss.eventId, loss])).values()];
}

function atSecondsOf({ atSeconds }: { readonly atSeconds: number }): number {
  return atSeconds;
}

/**
 * The newest of a record, and since when they are whole; null: these are all. The oldest second of a list that was cut may be
 * there in part. If all of it is that second, more is read, or the next page would begin with the same part.
 */
async function newest<T>(
  load: (limit: number) => Promise<readonly T[]>,
  at: (record: T) => number,
): Promise<{ readonly records: readonly T[]; readonly wholeSince: number | null }> {
  for (let limit = mostOfARecord; ; limit *= 10) {
    const records = await load(limit);
    if (records.length < limit) return { records, wholeSince: null };
    const wholeSince = records.reduce((oldest, record) => Math.min(oldest, at(record)), Infinity);
    if (limit >= mostOfASecond || records.some((record) => at(record) !== wholeSince))
      return { records, wholeSince };
  }
}
