import type { LivesAnswer, LivesQuery } from "../api/index.ts";
import { kindName, sizesByKind } from "../engine/index.ts";
import type { Ports } from "../ports/index.ts";
import { periodOf } from "./draw-up-samples.ts";
import { toLife } from "./node-life.ts";
import type { Selected } from "./node-selection.ts";
import { pageOf } from "./page.ts";

/** What nodes did in a time, by what is remembered of them. Undefined: the cluster is not configured. */
export async function listLives(
  ports: Pick<Ports, "clock" | "configs" | "history" | "snapshots">,
  cluster: string,
  query: LivesQuery,
): Promise<Selected<LivesAnswer> | undefined> {
  if (!(await ports.configs.clusters()).includes(cluster)) return undefined;
  const atSeconds = ports.clock.nowSeconds();
  const period = periodOf(query, atSeconds);
  if (!period.ok) return period;
  const { fromSeconds, untilSeconds } = period.answer;
  const [rows, snapshot] = await Promise.all([ports.history.list(cluster), ports.snapshots.load(cluster)]);
  const sizes = snapshot && sizesByKind(snapshot.value.cluster);
  const lives = rows
    .filter(
      ({ nodeArray, createdSeconds, deletedSeconds }) =>
        createdSeconds < untilSeconds &&
        (deletedSeconds ?? atSeconds) > fromSeconds &&
        nodeArray === (query.nodeArray ?? nodeArray),
    )
    .map((row) => ({
      ...toLife(row, atSeconds),
      usdPerHour: sizes?.get(kindName(row))?.pricePerHourUsd ?? null,
    }))
    .toSorted(
      (a, b) =>
        compare(a.nodeArray, b.nodeArray) ||
        a.firstSeenSeconds - b.firstSeenSeconds ||
        compare(a.name, b.name),
    );
  const { items, next, total } = pageOf(lives, query, {
    nameOf: ({ nodeId, firstSeenSeconds }) => `${nodeId} ${firstSeenSeconds}`,
  });
  return { ok: true, answer: { cluster, atSeconds, fromSeconds, untilSeconds, lives: items, next, total } };
}

const { compare } = new Intl.Collator("en", { numeric: true });
