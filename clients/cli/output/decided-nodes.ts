import type { ClusterStatus } from "../../../shared/api/index.ts";
import { ago } from "./moments.ts";
import type { Page } from "./report.ts";

const mostDecided = 5;

/** Nodes that operators keep alive, and those that they ignore. */
export function decidedNodesOn(page: Page, status: ClusterStatus, most: number): void {
  keptOn(page, status, Math.min(mostDecided, most));
  ignoredOn(page, status, Math.min(mostDecided, most));
}

/** Listed because kept nodes are easy to forget, and cost money. */
function keptOn(page: Page, { keptNodes, atSeconds }: ClusterStatus, most: number): void {
  if (keptNodes.length === 0) return;
  page.title("Kept alive");
  decisionsOn(page, keptNodes.slice(0, most), atSeconds);
  if (keptNodes.length > most)
    page.line(`… and ${keptNodes.length - most} more: "ccscale nodes -C node.keep_alive=true"`);
}

/** Listed because nodes that are left alone go for nothing, whatever they do. */
function ignoredOn(page: Page, { ignoredNodes, atSeconds }: ClusterStatus, most: number): void {
  if (ignoredNodes.length === 0) return;
  page.title("Ignored");
  decisionsOn(page, ignoredNodes.slice(0, most), atSeconds);
  if (ignoredNodes.length > most)
    page.line(`… and ${ignoredNodes.length - most} more: "ccscale nodes" marks them`);
}

/** What operators decided about nodes: by whom, since when, until when, and why. */
function decisionsOn(page: Page, decided: ClusterStatus["keptNodes"], nowSeconds: number): void {
  const rows = decided.map((each) => [
    each.name,
    each.by,
    ago(each.atSeconds, nowSeconds),
    ends(each, nowSeconds),
    each.reason,
  ]);
  page.table(["NODE", "BY", "SINCE", "ENDS", "WHY"], rows);
}

function ends({ untilSeconds }: { readonly untilSeconds?: number | undefined }, nowSeconds: number): string {
  return untilSeconds === undefined ? "-" : ago(untilSeconds, nowSeconds);
}
