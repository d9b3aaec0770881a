import type { ExplainAnswer, RefusalView } from "../../../shared/api/index.ts";
import { shownValue } from "./columns/value.ts";
import { ago } from "./moments.ts";
import type { Page } from "./report.ts";

/** All about one job: how it stands, then why, where, bucket by bucket, and what the planner did. */
export function explanationOn(page: Page, explanation: ExplainAnswer): void {
  const { headline, causes, places, placeCount, refusals, planner, atSeconds } = explanation;
  page.line(headline);
  if (causes.length > 0) page.title("Why");
  for (const { text, next, untilSeconds } of causes) {
    page.line(`  - ${text}`);
    page.line(`    ${next}`);
    if (untilSeconds !== null) page.line(`    By itself: ${ago(untilSeconds, atSeconds)}.`);
  }
  if (places.length > 0) {
    page.title(placeCount > places.length ? `Where: the first ${places.length} of ${placeCount}` : "Where");
    const rows = places.map(({ node, slots, origin, state, expectedReadySeconds }) => [
      node,
      slots,
      state ?? origin,
      expectedReadySeconds === null ? "-" : ago(expectedReadySeconds, atSeconds),
    ]);
    page.table(["NODE", "SLOTS", "STATE", "READY"], rows);
  }
  if (refusals.length > 0) {
    page.title("Bucket by bucket");
    page.table(["BUCKET", "REFUSED BY", "ASKED", "LEFT", "CODE"], refusals.map(refusalRow));
  }
  if (planner.length === 0) return;
  page.title("What the planner did");
  page.bullets(
    planner.map((step) => {
      const id = step.planId ?? step.actionId;
      return `${ago(step.atSeconds, atSeconds)}${id === null ? "" : `, ${id}`}: ${step.text}`;
    }),
  );
}

/** One refusal as a line of a table. */
export function refusalRow({ bucket, limit, constraint, asked, left, code }: RefusalView): readonly string[] {
  return [bucketName(bucket), limit ?? constraint ?? "-", shownValue(asked), shownValue(left), code];
}

/** `htc/Standard_F4s_v2`, with its placement group where it has one. */
export function bucketName(bucket: RefusalView["bucket"]): string {
  if (bucket === null) return "everywhere";
  const { nodeArray, vmSize, placementGroup } = bucket;
  return `${nodeArray}/${vmSize}${placementGroup === null ? "" : `/${placementGroup}`}`;
}
