import { type ActionAnswer, type NodeActionKind, quoted, type Selection } from "../api/index.ts";
import { busyHostnames } from "../cycle/index.ts";
import { type ClusterNode, nodesOfArrays, shortHostname, sortByNodeName } from "../engine/index.ts";
import type { KeptNode, Operation, SourceDemand } from "../ports/index.ts";
import { printable, someOf } from "../text/text.ts";
import type { Outlook } from "../views/index.ts";
import { selectorOf } from "../views/index.ts";

/** A node that was selected and is left alone. */
export type Skipped = ActionAnswer["skipped"][number];

export type Chosen =
  | { readonly ok: true; readonly nodes: readonly ClusterNode[]; readonly skipped: readonly Skipped[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The nodes that match a selection, and the names in it that match nothing. The selection must name at least one node. */
export function selectNodes(outlook: Outlook, selection: Selection): Chosen {
  const selector = selectorOf(outlook.input, selection);
  if (!selector.ok) return selector;
  const nodes = nodesOfArrays(outlook.snapshot.cluster).filter(selector.answer.isSelected);
  const skipped = unknownNames(outlook, selection);
  if (nodes.length === 0) return { ok: false, problems: whyNone(skipped) };
  return { ok: true, nodes: sortByNodeName(nodes, ({ name }) => name), skipped };
}

const mostNamed = 5;

/** Reports unknown names, or that nothing matches. */
function whyNone(skipped: readonly Skipped[]): readonly string[] {
  const named = skipped.slice(0, mostNamed).map(({ node, why }) => `nodes: ${quoted(node)}: ${why}`);
  const more = skipped.length - named.length;
  if (named.length === 0) return ["nodes: no node of the cluster is selected, expected at least one"];
  return more === 0 ? named : [...named, `nodes: and ${more} more names`];
}

/** Only a retry goes without a selection: CycleCloud retries every failed node whatever was selected. */
function failedNodes({ snapshot }: Outlook): Chosen {
  const nodes = nodesOfArrays(snapshot.cluster).filter(
    ({ status, targetState }) => status === "Failed" && targetState === "Started",
  );
  return { ok: true, nodes: sortByNodeName(nodes, ({ name }) => name), skipped: [] };
}

/** Only names without wildcards are reported as unknown: a wildcard may match nothing. */
const wildcard = /[*?[]/;

function unknownNames({ input, snapshot }: Outlook, selection: Selection): readonly Skipped[] {
  const { nodes, nodeArrays } = snapshot.cluster;
  const arrays = new Set(nodeArrays.map(({ name }) => name));
  const owned = nodesOfArrays(snapshot.cluster);
  const namesAndIds = (all: readonly ClusterNode[]) =>
    new Set(all.flatMap(({ name, nodeId }) => [name, nodeId]));
  // A list may hold thousands of names, nearly all correct: look them up in a set first.
  const [ours, anybodys] = [namesAndIds(owned), namesAndIds(nodes)];
  const unknown = (given: readonly string[] = [], what: string, isFound: (name: string) => boolean) =>
    given.flatMap((name): Skipped[] => {
      if (wildcard.test(name) || ours.has(name)) return [];
      const why = isFound(name) ? "belongs to no node array" : `no node of the cluster has this ${what}`;
      return [{ node: name, why, next: "Check the name: `ccscale nodes` lists all.", refused: true }];
    });
  const hosted = (hostname: string, all: readonly ClusterNode[]) => {
    const selector = selectorOf(input, { hostnames: [hostname] });
    return selector.ok && all.some(selector.answer.isSelected);
  };
  const dynamic = new Set(nodes.map(({ dynamicArray }) => dynamicArray));
  const unknownArrays = (selection.nodeArrays ?? []).flatMap((name): Skipped[] =>
    wildcard.test(name) || arrays.has(name) || dynamic.has(name)
      ? []
      : [
          {
            node: name,
            why: "the cluster has no node array of this name",
            next: `Node arrays: ${[...arrays].join(", ")}.`,
            refused: true,
          },
        ],
  );
  return [
    ...unknown(selection.names, "name", (name) => anybodys.has(name)),
    ...unknown(selection.nodeIds, "id", (id) => anybodys.has(id)),
    ...unknown(
      selection.hostnames?.filter((hostname) => !hosted(hostname, owned)),
      "host name",
      (hostname) => hosted(hostname, nodes),
    ),
    ...unknownArrays,
  ];
}

/** Nodes that an action must not touch, each with the reason and the next step. */
export function chooseNodes(
  outlook: Outlook,
  action: {
    readonly kind: NodeActionKind;
    /** Absent: all that the action is for. */
    readonly nodes?: Selection | undefined;
    readonly force: boolean;
  },
): Chosen {
  const selected = action.nodes === undefined ? failedNodes(outlook) : selectNodes(outlook, action.nodes);
  if (!selected.ok) return selected;
  const facts = factsOf(outlook);
  const nodes: ClusterNode[] = [];
  const skipped = [...selected.skipped];
  for (const node of selected.nodes) {
    const why = whyNot(node, action, facts);
    if (why === undefined) nodes.push(node);
    else skipped.push({ node: node.name, ...why });
  }
  return { ok: true, nodes, skipped };
}

interface Facts {
  readonly keptNodes: ReadonlyMap<string, KeptNode>;
  readonly busyHostnames: ReadonlySet<string>;
  /** Computed only when a node is refused. */
  readonly jobsByHost: () => ReadonlyMap<string, readonly string[]>;
  /** Open operations by the ids of the nodes that they are about. */
  readonly operations: ReadonlyMap<string, Operation>;
}

function factsOf({ loaded, atSeconds, control }: Outlook): Facts {
  let jobs: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    jobsByHost: () => {
      jobs ??= jobsOnHosts(loaded.demand);
      return jobs;
    },
    keptNodes: new Map(control.keptNodes.map((kept) => [kept.nodeId, kept])),
    busyHostnames: busyHostnames(loaded.demand, atSeconds),
    operations: new Map(
      loaded.operations.flatMap((operation) => {
        const { action, nodes } = operation;
        const about = action.kind === "create-nodes" ? nodes : [...action.nodes, ...nodes];
        return about.map(({ nodeId }) => [nodeId, operation] as const);
      }),
    ),
  };
}

type WhyNot = Omit<Skipped, "node"> | undefined;

function whyNot(
  node: ClusterNode,
  { kind, force }: { readonly kind: NodeActionKind; readonly force: boolean },
  { busyHostnames, jobsByHost, operations, keptNodes }: Facts,
): WhyNot {
  const operation = operations.get(node.nodeId);
  // A node that the snapshot shows is no longer being created.
  if (operation !== undefined && operation.action.kind !== "create-nodes")
    return {
      why: `${operation.action.kind} ${operation.actionId} is under way for it`,
      next: "Wait until that is done.",
      refused: !isUnderWay(kind, operation.action),
    };
  const wrongState = whyWrongState(node, kind);
  if (wrongState !== undefined || !isDestructive(kind)) return wrongState;
  if (node.keepAlive) return whyKept(keptNodes.get(node.nodeId));
  const host = node.hostname === null ? undefined : shortHostname(node.hostname);
  if (host === undefined || force || !busyHostnames.has(host)) return undefined;
  const jobs = jobsByHost().get(host) ?? [];
  return {
    why: jobs.length === 0 ? "runs a job" : `runs ${jobs.length === 1 ? "job" : "jobs"} ${someOf(jobs)}`,
    next: "Drain it and wait, or ask again with force.",
    refused: true,
  };
}

/** Names of the jobs that run on each host. */
function jobsOnHosts(demand: readonly SourceDemand[]): ReadonlyMap<string, readonly string[]> {
  const idsByName = new Map<string, string[]>();
  for (const { name, executingHostnames } of demand.flatMap(({ jobs }) => jobs))
    for (const host of new Set(executingHostnames.map(shortHostname))) {
      const names = idsByName.get(host);
      if (names === undefined) idsByName.set(host, [printable(name)]);
      else names.push(printable(name));
    }
  return idsByName;
}

/** The next step depends on who asked to keep the node. */
function whyKept(kept: KeptNode | undefined): Omit<Skipped, "node"> {
  return kept === undefined
    ? {
        why: "is keep-alive in CycleCloud",
        next: "Take keep-alive off there: CycleCloud's API has no call for it.",
        refused: true,
      }
    : {
        why: `is kept alive by ${kept.by}: ${kept.reason}`,
        next: "End that with `ccscale keep-alive off`.",
        refused: true,
      };
}

function whyWrongState({ status, targetState }: ClusterNode, kind: NodeActionKind): WhyNot {
  const is = `is ${status}${destinyOf(status, targetState)}`;
  switch (kind) {
    case "start":
      return targetState === "Deallocated"
        ? undefined
        : { why: is, next: "Only deallocated nodes are started.", refused: targetState !== "Started" };
    case "retry-failed":
      return status === "Failed" && targetState === "Started"
        ? undefined
        : { why: is, next: "Only failed nodes are retried.", refused: status === "Failed" };
    case "remove":
    case "terminate":
      return targetState === null || targetState === "Terminated"
        ? {
            why: is,
            next: "Nodes on their way out, or of unknown fate, are left alone.",
            refused: targetState === null,
          }
        : undefined;
    case "drain":
    case "delete":
    case "deallocate":
    case "restart":
    case "reimage":
      return targetState === "Started"
        ? undefined
        : { why: is, next: nextOf(kind, targetState), refused: targetState !== goalOf(kind) };
  }
}

/** The final state that an action leads to, if it has one. */
function goalOf(kind: string): string | undefined {
  if (kind === "delete" || kind === "remove" || kind === "terminate") return "Terminated";
  return kind === "deallocate" ? "Deallocated" : undefined;
}

/** Whether the action does what was requested, or something equivalent. */
function isUnderWay(kind: NodeActionKind, action: Operation["action"]): boolean {
  const askedKind = action.kind === "shutdown-nodes" ? "delete" : action.kind.replace(/-nodes$/, "");
  return askedKind === kind || (goalOf(kind) !== undefined && goalOf(kind) === goalOf(askedKind));
}

/** The next step, when only nodes that are up can be asked for this. */
function nextOf(kind: NodeActionKind, targetState: ClusterNode["targetState"]): string {
  if (targetState !== "Deallocated") return "Only nodes that are up or booting can be asked for that.";
  switch (kind) {
    case "delete":
      return "Take it away with `ccscale remove-nodes`.";
    case "deallocate":
      return "Nothing.";
    case "drain":
    case "start":
    case "remove":
    case "terminate":
    case "restart":
    case "reimage":
    case "retry-failed":
      return "Start it first: `ccscale start`.";
  }
}

/** The node's target state, where it differs from its state: a Ready node stays started. */
function destinyOf(status: string, targetState: ClusterNode["targetState"]): string {
  if (targetState === null) return ", and CycleCloud does not say what it is to become";
  return targetState === status || (status === "Ready" && targetState === "Started")
    ? ""
    : ` and to be ${targetState}`;
}

/** Whether what runs on the node is lost, at once or for a while. */
function isDestructive(kind: NodeActionKind): boolean {
  return ["delete", "remove", "terminate", "deallocate", "restart", "reimage"].includes(kind);
}
