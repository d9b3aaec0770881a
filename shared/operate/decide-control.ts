import type { ActionBody } from "../api/index.ts";
import { loadControl, untilText } from "../cycle/index.ts";
import { isIgnored } from "../engine/index.ts";
import type { ConfigStore, RefusedLogin } from "../ports/index.ts";
import { counted } from "../text/text.ts";
import type { Outlook } from "../views/index.ts";
import { type ActOutcome, type ActPorts, answered, refused } from "./act-outcome.ts";
import { ending, whyOver } from "./ending.ts";
import { markNodes } from "./mark-nodes.ts";
import { pauseCluster, resumeCluster, stopsOf } from "./pause-cluster.ts";
import { selectNodes } from "./select-nodes.ts";

type PauseBody = Extract<ActionBody, { kind: "pause" | "resume" }>;

/** What pausing and resuming need: neither a snapshot nor a valid configuration. */
type PausePorts = Parameters<typeof resumeCluster>[0] & { readonly configs: Pick<ConfigStore, "clusters"> };

/** Pauses or resumes a cluster, even one without a snapshot or with a broken configuration. */
export async function decidePause(ports: PausePorts, cluster: string, body: PauseBody): Promise<ActOutcome> {
  const { kind, by, reason, dryRun } = body;
  const clusters = await ports.configs.clusters();
  if (!clusters.includes(cluster)) return { outcome: "unknown-cluster" };
  const about = { cluster, atSeconds: ports.clock.nowSeconds() };
  const name = `cluster "${cluster}"`;
  const decision = { cluster, by, reason };
  if (kind === "pause") {
    const over = whyOver(body, about.atSeconds);
    if (over !== undefined) return refused(about, [over], dryRun);
    const end = ending(body);
    if (dryRun) return answered(about, "would", `Would pause ${name}${untilText(end)}.`);
    await pauseCluster(ports, { ...decision, ...end });
    const lasts = end.untilSeconds === undefined ? " until it is resumed" : untilText(end);
    return answered(about, "done", `Paused ${name}: plans are made, and nothing is sent${lasts}.`);
  }
  const control = await loadControl(ports, cluster);
  const from = stopsOf(control);
  if (from.length === 0) return answered(about, "nothing-to-do", `Nothing to do: ${name} was not stopped.`);
  if (dryRun) return answered(about, "would", `Would resume ${name} from ${from.join(" and ")}.`);
  await resumeCluster(ports, decision);
  return answered(
    about,
    "done",
    `Resumed ${name} from ${from.join(" and ")}${whatFollows(control.refusedLogin)}`,
  );
}

function whatFollows(refused: RefusedLogin | null): string {
  return refused === null
    ? ", and asked for a plan."
    : ". The next snapshot tries the login once more, a minute after the last refusal at the earliest; nothing is sent until it is taken.";
}

/** Decisions stored in our own records. They take effect at once, for actions and plans. */
export async function decideIgnored(
  ports: ActPorts,
  outlook: Outlook,
  body: Extract<ActionBody, { kind: "ignore" | "unignore" }>,
): Promise<ActOutcome> {
  const { control, atSeconds } = outlook;
  const chosen = selectNodes(outlook, body.nodes);
  if (!chosen.ok) return refused(outlook, chosen.problems, body.dryRun);
  const { kind } = body;
  const end = ending(kind === "ignore" ? body : {});
  const over = whyOver(end, atSeconds);
  if (over !== undefined) return refused(outlook, [over], body.dryRun);
  const ignored = new Map(control.ignoredNodes.map((node) => [node.nodeId, node]));
  const changing = chosen.nodes.filter(({ nodeId }) => {
    const before = ignored.get(nodeId);
    if (kind === "unignore") return before !== undefined;
    return before === undefined || before.untilSeconds !== end.untilSeconds;
  });
  const unchanged = chosen.nodes
    .filter((node) => !changing.includes(node))
    .map((node) => ({
      node: node.name,
      why: kind === "ignore" ? "is ignored already" : "is not ignored by anybody's request",
      next:
        kind === "ignore" ? "Nothing." : "What the configuration ignores is changed there: ignored_nodes.",
      refused: kind === "unignore" && isIgnored(node, outlook.config.engine.ignoredNodes),
    }));
  const count = counted(changing.length, "nodes");
  return markNodes(ports, outlook, {
    list: "ignoredNodes",
    on: kind === "ignore",
    kind,
    event: kind,
    body,
    end,
    changing,
    skipped: [...chosen.skipped, ...unchanged],
    would: `Would ${kind} ${count}${untilText(end)}.`,
    done:
      kind === "ignore"
        ? `Leaving ${count} alone${untilText(end) || " from now on"}.`
        : `Taking care of ${count} again.`,
  });
}
