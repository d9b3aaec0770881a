import type { HistoryAnswer } from "../api/index.ts";
import type { Operation, Ports } from "../ports/index.ts";
import { runsOn } from "./draw-up-job-cost.ts";
import { isNamed } from "./events/list-events.ts";
import { mostLookedThrough, toOperationView } from "./list-operations.ts";
import { toLife } from "./node-life.ts";
import { type PageQuery, pageOf } from "./page.ts";

/** As long as nodes that are gone are remembered. */
const runsKeptSeconds = 7 * 86_400;

/** All that is remembered of a node, by its name, id or host name. Undefined when nothing is. */
export async function showHistory(
  ports: Pick<Ports, "accounts" | "clock" | "history" | "operations">,
  cluster: string,
  node: string,
  query: PageQuery,
): Promise<HistoryAnswer | undefined> {
  const [rows, recent] = await Promise.all([
    ports.history.list(cluster),
    ports.operations.recent(cluster, mostLookedThrough),
  ]);
  const lives = rows.filter((row) => isNamed(row, node)).sort((a, b) => b.createdSeconds - a.createdSeconds);
  const ids = new Set(lives.map(({ nodeId }) => nodeId));
  const about = recent.filter((operation) => isAbout(operation, node, ids));
  if (lives.length === 0 && about.length === 0) return undefined;
  const { items, next, total } = pageOf(about, query, { nameOf: ({ actionId }) => actionId });
  const atSeconds = ports.clock.nowSeconds();
  const period = { fromSeconds: atSeconds - runsKeptSeconds, untilSeconds: atSeconds };
  const names = new Set(lives.map(({ name }) => name));
  return {
    cluster,
    atSeconds,
    node,
    lives: lives.map((row) => toLife(row, atSeconds)),
    runs: await runsOn(ports.accounts, cluster, { names, period }),
    operations: items.map(toOperationView),
    next,
    total,
  };
}

/** By id where it is known: a later node may have the same name. */
function isAbout({ action, nodes }: Operation, node: string, ids: ReadonlySet<string>): boolean {
  const actedOn = action.kind === "create-nodes" ? nodes : [...action.nodes, ...nodes];
  if (actedOn.some(({ nodeId }) => nodeId === node || ids.has(nodeId))) return true;
  if (ids.size > 0) return false;
  return (
    actedOn.some(({ name }) => name === node) ||
    (action.kind === "create-nodes" && action.sets.some(({ names }) => names.includes(node)))
  );
}
