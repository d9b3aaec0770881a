import type { ExplainAnswer, RefusalView, TargetExplanation } from "../../../shared/api/index.ts";
import { bucketsTogether } from "../../../shared/names/bucket-words.ts";
import { joined } from "../../../shared/text/text.ts";
import { shownValue } from "../../columns/column.ts";
import { groupsAlike } from "./alike.ts";
import { ago } from "./moments.ts";
import { originWord } from "./node-fields.ts";
import type { Page } from "./report.ts";

/** One job: its state, then why, where, bucket by bucket, and what the planner did. */
export function explanationOn(page: Page, explanation: ExplainAnswer, isAll = false): void {
  const { headline, places, placeCount, atSeconds } = explanation;
  page.line(headline);
  for (const note of explanation.notes) page.line(`Note of its scheduler's agent: ${note}.`);
  for (const warning of explanation.warnings) page.warning(`Job key without effect: ${warning}`);
  causesOn(page, explanation, explanation.raise);
  const rows = places.map(({ node, slots, origin, state, expectedReadySeconds }) => [
    node,
    slots,
    state ?? originWord(origin),
    expectedReadySeconds === null ? "-" : ago(expectedReadySeconds, atSeconds),
  ]);
  whereOn(page, { head: ["NODE", "SLOTS", "STATE", "READY"], rows, total: placeCount });
  if (explanation.sizes.length > 0) {
    page.title("Why these sizes");
    page.bullets(explanation.sizes);
  }
  refusalsOn(page, explanation, isAll);
  plannerOn(page, explanation);
}

/** A target may have thousands. Nodes that are still starting come first in the answer. */
const mostTargetNodes = 10;

export function targetExplanationOn(page: Page, explanation: TargetExplanation, isAll = false): void {
  const { headline, nodes, nodeCount, groups, atSeconds } = explanation;
  page.line(headline);
  page.line(requestOf(explanation));
  if (explanation.spare !== null) page.line(explanation.spare.text);
  causesOn(page, explanation);
  const rows = nodes
    .slice(0, mostTargetNodes)
    .map(({ node, origin, state, expectedReadySeconds }) => [
      node,
      state ?? originWord(origin),
      expectedReadySeconds === null ? "-" : ago(expectedReadySeconds, atSeconds),
    ]);
  whereOn(page, { head: ["NODE", "STATE", "READY"], rows, total: nodeCount });
  if (nodeCount > rows.length)
    page.line(
      `"ccscale nodes --nodearray ${explanation.nodeArray}" lists all of them, and others of the array.`,
    );
  if (groups.length > 0) {
    page.title("Groups");
    const lines = groups.map(({ id, vmSize, nodes }) => [id, vmSize, nodes]);
    page.table(["GROUP", "VM SIZE", "NODES"], lines);
  }
  refusalsOn(page, explanation, isAll);
  plannerOn(page, explanation);
}

function requestOf(explanation: TargetExplanation): string {
  const { source, receivedAtSeconds, expiresAtSeconds, atSeconds, lasting, ignoredRequests } = explanation;
  const ignored =
    ignoredRequests === 0 ? "" : `; requests of its set that came late and were ignored: ${ignoredRequests}`;
  if (lasting) return `Requested by source ${source} at all times${ignored}.`;
  const expires = expiresAtSeconds <= atSeconds ? "expired" : "expires";
  return `Requested by source ${source} ${ago(receivedAtSeconds, atSeconds)}, ${expires} ${ago(expiresAtSeconds, atSeconds)}${ignored}.`;
}

type Explained = Pick<ExplainAnswer, "atSeconds" | "causes" | "refusals" | "planner">;

function causesOn(page: Page, { causes, atSeconds }: Explained, raise: ExplainAnswer["raise"] = null): void {
  if (causes.length > 0) page.title("Why");
  // That one limit is enough goes without saying: its own line says by how much.
  const isMore = raise !== null && (raise.limits.length > 1 || raise.granted < raise.asked);
  const raised = isMore ? causes.find(({ limit }) => limit === raise.limits[0]?.limit) : undefined;
  for (const cause of causes) {
    const { text, next, untilSeconds } = cause;
    page.line(`  - ${text}`);
    page.line(`    ${next}`);
    if (isMore && cause === raised) page.line(`    ${raise.text}`);
    if (untilSeconds !== null) page.line(`    By itself: ${ago(untilSeconds, atSeconds)}.`);
  }
}

interface Where {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** More than are listed, where there are many. */
  readonly total: number;
}

function whereOn(page: Page, { head, rows, total }: Where): void {
  if (rows.length === 0) return;
  page.title(total > rows.length ? `Where: the first ${rows.length} of ${total}` : "Where");
  // The last column says when nodes are ready, and nothing once they are.
  const end = rows.some((row) => row.at(-1) !== "-") ? head.length : -1;
  page.table(
    head.slice(0, end),
    rows.map((row) => row.slice(0, end)),
  );
}

function refusalsOn(page: Page, { refusals }: Explained, isAll: boolean): void {
  if (refusals.length === 0) return;
  page.title("Bucket by bucket");
  page.table(["BUCKET", "REFUSED BY", "ASKED", "LEFT", "WHY"], refusalRows(refusals, isAll));
}

function plannerOn(page: Page, { planner, atSeconds }: Explained): void {
  if (planner.length === 0) return;
  page.title("What the planner did");
  page.bullets(
    planner.map((step) => {
      const id = step.planId ?? step.actionId;
      return `${ago(step.atSeconds, atSeconds)}${id === null ? "" : `, ${id}`}: ${step.text}`;
    }),
  );
}

/** Refusals as lines of a table. Buckets that are refused alike are one line, unless each is wanted (`isAll`). */
export function refusalRows(
  refusals: readonly RefusalView[],
  isAll: boolean,
): readonly (readonly string[])[] {
  return groupsAlike(refusals, whyRefused, isAll ? Number.POSITIVE_INFINITY : undefined).map((group) => {
    const [{ limit, constraint, asked, code, why }] = group;
    const left = [...new Set(group.map((refusal) => shown(refusal.left)))];
    return [
      bucketsNamed(group.map(({ bucket }) => bucket)),
      limit ?? constraint ?? "-",
      shown(asked),
      left.length <= mostValues ? joined(left, "or") : `${left.length} others`,
      // A service of an earlier release has the code alone.
      why ?? code,
    ];
  });
}

/** For a property, the bucket's value is like its name: two buckets with different values are refused alike. */
function whyRefused({ limit, constraint, asked, left, code }: RefusalView): string {
  return JSON.stringify([
    limit,
    constraint,
    asked,
    code,
    code === "InvalidOption" && left !== null ? "any" : left,
  ]);
}

function shown(value: RefusalView["asked"]): string {
  return shownValue(value) || "-";
}

const mostValues = 3;

/** One by its name, several by how many they are. */
function bucketsNamed(buckets: readonly RefusalView["bucket"][]): string {
  const [first = null] = buckets;
  return buckets.length === 1 ? bucketName(first) : bucketsTogether(buckets);
}

/** `htc/Standard_F4s_v2`, with its placement group where it has one. */
export function bucketName(bucket: RefusalView["bucket"]): string {
  if (bucket === null) return "everywhere";
  const { nodeArray, vmSize, placementGroup } = bucket;
  return `${nodeArray}/${vmSize}${placementGroup === null ? "" : `/${placementGroup}`}`;
}
