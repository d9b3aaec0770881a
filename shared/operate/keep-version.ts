import { kindOf, messageOf, untilWritten } from "../errors/errors.ts";
import type { ConfigVersion, Ports } from "../ports/index.ts";

type VersionPorts = Pick<Ports, "clock" | "configVersions" | "events" | "log">;

type Change = Pick<ConfigVersion, "by" | "reason" | "changes" | "text">;

const mostChanges = 50;

/** Keeps what is about to be replaced, unless it is the newest version: somebody may have changed the file itself. */
export async function keepUnknown(
  ports: VersionPorts,
  cluster: string,
  given: { readonly text: string; readonly changesSince: (before: string) => readonly string[] },
): Promise<void> {
  const { text, changesSince } = given;
  await keeping(ports, cluster, async () => {
    const [newest] = await ports.configVersions.list(cluster, 1);
    if (newest?.text === text) return;
    const what =
      newest === undefined
        ? { reason: "as it was before versions were kept", changes: [] }
        : { reason: "changed in the storage account", changes: changesSince(newest.text) };
    await addVersion(ports, cluster, { by: null, text, ...what });
  });
}

/** Keeps what was stored, and notes who stored it. The change itself holds, whether that succeeds or not. */
export async function keepVersion(ports: VersionPorts, cluster: string, change: Change): Promise<void> {
  await keeping(ports, cluster, async () => {
    const version = await addVersion(ports, cluster, change);
    const { by, reason, changes } = change;
    const why = `${reason}: ${changes.slice(0, mostChanges).join("; ")}`;
    const event = {
      eventId: `config:${version}`,
      kind: "config",
      atSeconds: ports.clock.nowSeconds(),
    } as const;
    await ports.events.note(cluster, [
      { ...event, by, source: null, node: null, reason: why.slice(0, 2_000) },
    ]);
  });
}

/** Concurrent changes take the next free numbers. */
function addVersion(ports: VersionPorts, cluster: string, change: Change): Promise<number> {
  return untilWritten(async () => {
    const [newest] = await ports.configVersions.list(cluster, 1);
    const version = (newest?.version ?? 0) + 1;
    const atSeconds = ports.clock.nowSeconds();
    const changes = change.changes.slice(0, mostChanges);
    await ports.configVersions.add(cluster, { ...change, changes, version, atSeconds });
    return version;
  });
}

async function keeping(ports: VersionPorts, cluster: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (kindOf(error) === "invariant") throw error;
    ports.log.warn("config-version-not-kept", { cluster, message: messageOf(error) });
  }
}
