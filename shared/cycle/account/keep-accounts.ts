import { accountFor, type Book, openBook, type Sight } from "../../accounting/index.ts";
import { kindOf, messageOf } from "../../errors.ts";
import type { Ports, Stored } from "../../ports/index.ts";

const daySeconds = 86_400;
/** Hours answer "this hour" and "today"; days answer the rest. */
const keptHourSeconds = 8 * daySeconds;
/** Thirteen months: this month and the same one a year ago. */
const keptDaySeconds = 400 * daySeconds;

/**
 * Counts what the nodes cost since the last sight, and whom. The open record is one blob that is saved as a whole, after what
 * the record before it closed was kept: a run that dies at any line has counted nothing twice and lost nothing, since the
 * next one starts from the same record. Two runs at once: one saves, the other's sight is left out.
 *
 * A store that fails is logged and stops nothing: scaling does not wait for accounts. The time is counted with the next snapshot.
 */
export async function keepAccounts(
  ports: Pick<Ports, "accounts" | "log">,
  cluster: string,
  sight: Sight,
): Promise<void> {
  try {
    await count(ports, cluster, sight);
  } catch (error) {
    if (kindOf(error) === "conflict") return;
    if (kindOf(error) !== "upstream") throw error;
    ports.log.warn("accounts-not-kept", { cluster, reason: messageOf(error) });
  }
}

async function count({ accounts }: Pick<Ports, "accounts">, cluster: string, sight: Sight): Promise<void> {
  const stored = await accounts.load(cluster);
  const book = stored === undefined ? openBook(sight) : accountFor(stored.value, sight);
  if (book === stored?.value) return;
  await keepClosed(accounts, cluster, stored);
  await accounts.save(cluster, book, stored?.etag);
  if (book.closed.days.length > 0) {
    const { takenAtSeconds } = sight;
    await accounts.forget(cluster, {
      hours: takenAtSeconds - keptHourSeconds,
      days: takenAtSeconds - keptDaySeconds,
    });
  }
}

/** What the stored record closed: written before the next record leaves it out. */
async function keepClosed(
  accounts: Ports["accounts"],
  cluster: string,
  stored: Stored<Book> | undefined,
): Promise<void> {
  if (stored === undefined) return;
  const { closed } = stored.value;
  if (closed.hours.length + closed.days.length + closed.jobs.length === 0) return;
  await accounts.keep(cluster, closed);
}
