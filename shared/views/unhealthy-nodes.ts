import type { KnownProblem } from "../api/index.ts";
import type { ReplacedNode, UnhealthyNode, UnhealthySettings } from "../ports/index.ts";
import { shellWord } from "../text/shell-word.ts";
import { counted, someOf } from "../text/text.ts";

/** Nodes that health checks took out of service, what becomes of them, and what keeps them from being replaced. */
export function unhealthyProblem(
  unhealthy: readonly UnhealthyNode[],
  replaced: readonly ReplacedNode[],
  limits: Pick<UnhealthySettings, "mostAtOnce" | "mostPerDay"> | undefined,
): readonly KnownProblem[] {
  const told = unhealthy.filter(({ policy }) => policy !== "keep");
  const [first] = told;
  if (first === undefined) return [];
  const reasons = new Set(told.map(({ why }) => why));
  const others = reasons.size > 1 ? `, and ${counted(reasons.size - 1, "other reasons")}` : "";
  const what = `${counted(told.length, "nodes")} ${told.length === 1 ? "is" : "are"} out of service by health checks`;
  const names = someOf(told.map(({ name }) => name));
  const fates = [
    ...fateOf(told, ({ policy }) => policy === "report", "left until idle"),
    ...fateOf(
      told,
      ({ policy, waitsFor }) => policy === "replace" && waitsFor === undefined,
      "being replaced",
    ),
    ...fateOf(told, ({ waitsFor }) => waitsFor === "jobs", "still in use"),
    ...fateOf(told, ({ waitsFor }) => waitsFor === "keep-alive", "kept alive"),
    ...fateOf(told, ({ waitsFor }) => waitsFor === "source", "of a source that is silent"),
    ...fateOf(
      told,
      ({ waitsFor }) => waitsFor === "at-once",
      `held by unhealthy_nodes_at_once (${limits?.mostAtOnce ?? 0})`,
    ),
    ...fateOf(
      told,
      ({ waitsFor }) => waitsFor === "per-day",
      `held by unhealthy_nodes_per_day (${limits?.mostPerDay ?? 0}; ${replaced.length} replaced)`,
    ),
  ];
  const text = `${what} (${names}): ${first.why.replace(/\.$/, "")}${others}. Of them: ${fates.join(", ")}.`;
  const isLimited = told.some(({ waitsFor }) => waitsFor === "per-day");
  const next = `${isLimited ? "So many hint at the check itself, or at the image. " : ""}All of them: \`ccscale nodes --held\`; one: \`ccscale events --node ${shellWord(first.name)}\`.`;
  return [{ gravity: "degraded", kind: "nodes-unhealthy", text, next }];
}

function fateOf(
  nodes: readonly UnhealthyNode[],
  isSo: (node: UnhealthyNode) => boolean,
  words: string,
): readonly string[] {
  const count = nodes.filter(isSo).length;
  return count === 0 ? [] : [`${count} ${words}`];
}
