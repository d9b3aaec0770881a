import { ConfigurationError, isWritten } from "../errors/errors.ts";
import type { Destination, Notice, NotificationRecord, Notifier, Ports } from "../ports/index.ts";
import { isSame } from "../text/redact.ts";
import { type FoundConfig, findIncidents } from "../views/index.ts";
import { type Claimed, claimNotices, settleNotices, type Told } from "./deliver-notices.ts";
import { emptyRecord, keepIncidents } from "./keep-incidents.ts";

type NotifyPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "demand"
  | "ids"
  | "log"
  | "notifications"
  | "plans"
  | "snapshots"
  | "targets"
>;

/**
 * Notifies the cluster's destinations of what is wrong: once when it begins, once when it is over. Who receives what is
 * stored before anything is sent, and claimed by one run: only one of two runs sends, and the next run sends what a run
 * that died did not. A message is sent again only when its run died after it arrived; its id is the same then.
 */
export async function notify(ports: NotifyPorts, notifier: Notifier, cluster: string): Promise<void> {
  const config = await readConfig(ports, cluster);
  if (config === undefined) return;
  const stored = await ports.notifications.load(cluster);
  const destinations = config instanceof ConfigurationError ? undefined : (config.notifications ?? []);
  // Without destinations and without a record there is nothing else to do.
  if (!destinations?.length && !stored?.value.destinations.length) return;
  const before = stored?.value ?? emptyRecord(cluster);
  const findings = await findIncidents(ports, cluster, config);
  const nowSeconds = ports.clock.nowSeconds();
  const kept = keepIncidents(before, { findings, destinations, nowSeconds, digest: ports.ids.digest });
  const { record, claimed } = claimNotices(kept, nowSeconds);
  if (!isSame(record, before) && !(await isSaved(ports, record, stored?.etag))) return;
  if (claimed.size === 0) return;
  const told = await tellAll(notifier, record.destinations, claimed);
  await settle(ports, cluster, told);
}

/** Undefined: the cluster is gone. */
async function readConfig({ configs }: NotifyPorts, cluster: string): Promise<FoundConfig | undefined> {
  try {
    return await configs.load(cluster);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

/** On a conflict the other run has seen the same incidents, and sends the messages. */
async function isSaved(
  { notifications }: Pick<NotifyPorts, "notifications">,
  record: NotificationRecord,
  etag: string | undefined,
): Promise<boolean> {
  return isWritten(() => notifications.save(record, etag));
}

/** Sends to all destinations concurrently, and to each one message at a time. */
function tellAll(
  notifier: Notifier,
  destinations: readonly Destination[],
  claimed: Claimed,
): Promise<readonly Told[]> {
  return Promise.all(
    destinations.flatMap((destination) => {
      const notices = claimed.get(destination.urlSetting);
      return notices === undefined ? [] : [tell(notifier, destination, notices)];
    }),
  );
}

async function tell(notifier: Notifier, destination: Destination, notices: readonly Notice[]): Promise<Told> {
  const to = destination.urlSetting;
  const arrived: string[] = [];
  for (const notice of notices) {
    const sent = await notifier.send(destination, notice);
    if (!sent.ok) return { to, arrived, failed: sent };
    arrived.push(notice.id);
  }
  return { to, arrived, failed: undefined };
}

/** Removes what was sent from the newest record, because other runs may have saved it since. */
async function settle(ports: NotifyPorts, cluster: string, told: readonly Told[]): Promise<void> {
  const stored = await ports.notifications.load(cluster);
  if (stored === undefined) return;
  const { record, givenUp } = settleNotices(stored.value, told, ports.clock.nowSeconds());
  if (!(await isSaved(ports, record, stored.etag))) return settle(ports, cluster, told);
  report(ports, cluster, { told, givenUp });
}

function report(
  { log }: NotifyPorts,
  cluster: string,
  { told, givenUp }: { readonly told: readonly Told[]; readonly givenUp: readonly Notice[] },
): void {
  for (const { to, arrived, failed } of told) {
    if (arrived.length > 0) log.info("notified", { cluster, to, messages: arrived.length });
    if (failed !== undefined) log.warn("not-notified", { cluster, to, message: failed.why });
  }
  for (const { to, id, problem, subject, phase } of givenUp)
    log.error("notification-given-up", { cluster, to, id, problem, subject, phase });
}
