import {
  accountFor,
  type Book,
  daySeconds,
  monthStart,
  openBook,
  type Sight,
} from "../../accounting/index.ts";
import { kindOf, messageOf, type UpstreamError } from "../../errors/errors.ts";
import type { Ports, Snapshot, Stored } from "../../ports/index.ts";

/** Hours are kept for queries of the last days; days for the rest. */
const keptHourSeconds = 8 * daySeconds;
/** Thirteen months: this month and the same one a year ago. */
const keptDaySeconds = 400 * daySeconds;

/** The accounts with one more sight, not saved yet. */
export type Counted =
  | {
      readonly ok: true;
      readonly book: Book;
      readonly stored: Stored<Book> | undefined;
      /** Whether the cluster has nodes, paid for or not. */
      readonly hasNodes: boolean;
    }
  /** What was spent before is unknown; `book` has only what is there now. */
  | { readonly ok: false; readonly book: Book; readonly error: UpstreamError };

/**
 * Counts what the nodes cost since the last sight, and whom. Writes nothing: it always starts from the stored record, so what a
 * run that dies has counted is counted again.
 */
export async function countTime(
  { accounts }: Pick<Ports, "accounts">,
  cluster: string,
  {
    sight,
    before,
    hasNodes,
  }: { readonly sight: Sight; readonly before: Snapshot | undefined; readonly hasNodes: boolean },
): Promise<Counted> {
  try {
    const stored = await accounts.load(cluster);
    const book =
      stored === undefined
        ? await opened(accounts, cluster, sight)
        : accountFor(asLastSeen(stored.value, before), sight);
    return { ok: true, book, stored, hasNodes };
  } catch (error) {
    if (kindOf(error) !== "upstream") throw error;
    return { ok: false, book: openBook(sight), error: error as UpstreamError };
  }
}

/** With what the snapshot before saw, if the cluster had no nodes then, which is not saved. */
function asLastSeen(book: Book, before: Snapshot | undefined): Book {
  if (before === undefined || before.cluster.nodes.length > 0 || !isEmpty(book)) return book;
  const seen = accountFor(book, {
    takenAtSeconds: before.takenAtSeconds,
    nodes: [],
    jobs: [],
    ...(book.aside && { aside: book.aside }),
  });
  return seen.hour.fromSeconds === book.hour.fromSeconds ? seen : book;
}

function isEmpty({ nodes, running }: Book): boolean {
  return nodes.length === 0 && running.length === 0;
}

/** Nothing to count and nothing to keep in a cluster without nodes: it is saved once in an hour. */
function isUnchanged(book: Book, stored: Book, hasNodes: boolean): boolean {
  if (hasNodes) return false;
  const isSameHour = book.hour.fromSeconds === stored.hour.fromSeconds;
  return isSameHour && [book, stored].every((each) => isEmpty(each) && hasClosedNothing(each));
}

function hasClosedNothing({ closed: { hours, days, jobs } }: Book): boolean {
  return hours.length + days.length + jobs.length === 0;
}

/** Without an open record, the pages that earlier ones closed show what the month cost. */
async function opened(accounts: Ports["accounts"], cluster: string, sight: Sight): Promise<Book> {
  const { takenAtSeconds: untilSeconds } = sight;
  const [hours, days] = await Promise.all([
    accounts.hours(cluster, { fromSeconds: untilSeconds - daySeconds, untilSeconds }),
    accounts.days(cluster, { fromSeconds: monthStart(untilSeconds), untilSeconds }),
  ]);
  return openBook(sight, { hours, days });
}

/**
 * Saves what was counted. The open record is one blob that is saved as a whole, after what the record before it closed was
 * kept: a run that dies at any line has counted nothing twice and lost nothing, since the next one starts from the same record.
 * Two runs at once: one saves, the other's sight is left out.
 *
 * A store that fails is logged and stops nothing: scaling does not wait for accounts. The time is counted with the next snapshot.
 */
export async function keepAccounts(
  ports: Pick<Ports, "accounts" | "log">,
  cluster: string,
  counted: Counted,
): Promise<void> {
  try {
    if (!counted.ok) throw counted.error;
    await keep(ports, cluster, counted);
  } catch (error) {
    if (kindOf(error) === "conflict") return;
    if (kindOf(error) !== "upstream") throw error;
    ports.log.warn("accounts-not-kept", { cluster, reason: messageOf(error) });
  }
}

async function keep(
  { accounts }: Pick<Ports, "accounts">,
  cluster: string,
  { book, stored, hasNodes }: Counted & { readonly ok: true },
): Promise<void> {
  if (stored !== undefined && (book === stored.value || isUnchanged(book, stored.value, hasNodes))) return;
  await keepClosed(accounts, cluster, stored);
  await accounts.save(cluster, book, stored?.etag);
  if (book.closed.days.length > 0)
    await accounts.forget(cluster, {
      hours: book.asOfSeconds - keptHourSeconds,
      days: book.asOfSeconds - keptDaySeconds,
    });
}

/** What the stored record closed: written before the next record leaves it out. */
async function keepClosed(
  accounts: Ports["accounts"],
  cluster: string,
  stored: Stored<Book> | undefined,
): Promise<void> {
  if (stored === undefined || hasClosedNothing(stored.value)) return;
  await accounts.keep(cluster, stored.value.closed);
}
