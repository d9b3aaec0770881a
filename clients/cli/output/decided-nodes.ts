import type { ClusterStatus } from "../../../shared/api/index.ts";
import { ago } from "./moments.ts";
import type { Page } from "./report.ts";

const mostDecided = 5;

/** Nodes that operators keep alive, and those that they ignore. */
export function decidedNodesOn(page: Page, status: ClusterStatus): void {
  keptOn(page, status);
  ignoredOn(page, status);
}

/** Listed because kept nodes are easy to forget, and cost money. */
function keptOn(page: Page, { keptNodes, atSeconds }: ClusterStatus): void {
  if (keptNodes.length === 0) return;
  page.title("Kept alive");
  decisionsOn(page, keptNodes, atSeconds);
  if (keptNodes.length > mostDecided)
    page.line(`… and ${keptNodes.length - mostDecided} more: "ccscale nodes -C node.keep_alive=true"`);
}

/** Listed because nodes that are left alone go for nothing, whatever they do. */
function ignoredOn(page: Page, { ignoredNodes, atSeconds }: ClusterStatus): void {
  if (ignoredNodes.length === 0) return;
  page.title("Ignored");
  decisionsOn(page, ignoredNodes, atSeconds);
  if (ignoredNodes.length > mostDecided)
    page.line(`… and ${ignoredNodes.length - mostDecided} more: "ccscale nodes" marks them`);
}

/** What operators decided about nodes: by whom, since when, until when, and why. */
function decisionsOn(page: Page, decided: ClusterStatus["keptNodes"], nowSeconds: number): void {
  const rows = decided
    .slice(0, mostDecided)
    .map((each) => [
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
