import type { ClusterStatus } from "../../../shared/api/index.ts";
import { ago } from "./moments.ts";
import type { Page } from "./report.ts";

const mostDecided = 5;

/** Nodes that operators keep alive, which cost money, and those that they ignore, which go for nothing: both are easy to forget. */
export function decidedNodesOn(page: Page, status: ClusterStatus, most: number): void {
  const { keptNodes, ignoredNodes, atSeconds } = status;
  const shown = Math.min(mostDecided, most);
  for (const [title, nodes, where] of [
    ["Kept alive", keptNodes, '"ccscale nodes -C node.keep_alive=true"'],
    ["Ignored", ignoredNodes, '"ccscale nodes" marks them'],
  ] as const) {
    if (nodes.length === 0) continue;
    page.title(title);
    decisionsOn(page, nodes.slice(0, shown), atSeconds);
    if (nodes.length > shown) page.line(`… and ${nodes.length - shown} more: ${where}`);
  }
}

/** What operators decided about nodes: by whom, since when, until when, and why. */
function decisionsOn(page: Page, decided: ClusterStatus["keptNodes"], nowSeconds: number): void {
  const rows = decided.map((each) => [
    each.name,
    each.by,
    ago(each.atSeconds, nowSeconds),
    each.untilSeconds === undefined ? "-" : ago(each.untilSeconds, nowSeconds),
    each.reason,
  ]);
  page.table(["NODE", "BY", "SINCE", "ENDS", "WHY"], rows);
}
