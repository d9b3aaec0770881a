import type { NodesAnswer, NodesQuery, NodeView } from "../api/index.ts";
import { onceFor } from "../collections/once-for.ts";
import { doubtsOf, unreadInWords } from "../cycle/index.ts";
import { compareNodeNames } from "../engine/index.ts";
import { useOf } from "../names/node-use.ts";
import { nodeWhereKeys } from "../names/where-keys.ts";
import { foldedOnce } from "../text/text.ts";
import { detailsReader, outlookJobs } from "./job-states.ts";
import { matches, ofSelected, type Selectable, type Selected, selectingOf } from "./node-selection.ts";
import { type NodeSubject, nodeViews } from "./node-views.ts";
import type { Outlook } from "./outlook.ts";
import { pageOf } from "./page.ts";
import { type Readers, readWhere } from "./where.ts";

const noResources: ReadonlySet<string> = new Set();

/** The nodes that a cluster has, by name, with what runs there or is planned there. */
export function listNodes(outlook: Outlook, query: NodesQuery): Selected<NodesAnswer> {
  const where = readWhere(query.where ?? "", nodeWhereKeys, readersOf(outlook));
  if (!where.ok) return where;
  return ofSelected(outlook.input, selectingOf(query), (selector) => {
    const views = nodeViews(outlook);
    const states = query.state?.map((state) => state.toLowerCase());
    const selected = views
      .present()
      .filter(
        (subject) =>
          matches(states, stateOf(subject)?.toLowerCase() ?? null) &&
          (selector === undefined || selector.isSelected(selectableOf(subject))) &&
          (where.isAll || where.matches(views.viewOf(subject, noResources))),
      );
    const { items, next, total } = pageOf(selected, query, {
      nameOf: ({ name }) => name,
      compareNames: compareNodeNames,
      madeAtSeconds: outlook.atSeconds,
    });
    const isOwned = query.fields?.some((field) => field === "users" || field === "accounts") ?? false;
    const told = query.resources && new Set(query.resources.map(foldedOnce));
    return {
      cluster: outlook.cluster,
      atSeconds: outlook.atSeconds,
      snapshotTakenAtSeconds: outlook.snapshot.takenAtSeconds,
      held: outlook.held ?? null,
      idleHeld: whyIdleStay(outlook),
      nodes: items.map((subject) =>
        withFields(
          { ...views.viewOf(subject, told), ...(isOwned && ownersOf(outlook)(subject.name)) },
          query.fields,
        ),
      ),
      next,
      total,
    };
  });
}

function readersOf(outlook: Outlook): Readers<typeof nodeWhereKeys, NodeView> {
  return {
    name: ({ name }) => name,
    array: ({ nodeArray, dynamicArray }) => [nodeArray, ...(dynamicArray === null ? [] : [dynamicArray])],
    size: ({ vmSize }) => [vmSize, vmSize.replace(/^Standard_/, "")],
    group: ({ placementGroup }) => placementGroup,
    host: ({ hostname, fqdn }) => (fqdn === null ? hostname : [hostname, fqdn]),
    state: (node) => [...(node.state === null ? [] : [node.state]), useOf(node)],
    spot: ({ spot }) => (spot ? "yes" : "no"),
    job: ({ jobs }) => jobs.map(({ job }) => job),
    user: ({ name }) => ownersOf(outlook)(name).users,
    jobs: ({ jobs }) => jobs.length,
    cores: ({ vcpuCount }) => vcpuCount,
    cost: ({ usdPerHour }) => usdPerHour,
    idle: ({ idleSinceSeconds }) => (idleSinceSeconds === null ? null : outlook.atSeconds - idleSinceSeconds),
  };
}

interface Owners {
  readonly users: readonly (string | null)[];
  readonly accounts: readonly (string | null)[];
}

const noOwners: Owners = { users: [], accounts: [] };

/** Whose jobs run on a node or have a place there. Few ask for it: worked out for all nodes when one is asked for. */
function ownersOf(outlook: Outlook): (node: string) => Owners {
  return (node) => ownersByNode(outlook).get(node) ?? noOwners;
}

const ownersByNode = onceFor((outlook: Outlook): ReadonlyMap<string, Owners> => {
  const detailsOf = detailsReader(outlook.loaded.demand);
  const owners = new Map<string, { users: (string | null)[]; accounts: (string | null)[] }>();
  for (const { job, outcome } of outlookJobs(outlook))
    for (const { node } of outcome.placements) {
      const there = owners.get(node) ?? { users: [], accounts: [] };
      const { user, account } = detailsOf(job);
      if (!there.users.includes(user)) there.users.push(user);
      if (!there.accounts.includes(account)) there.accounts.push(account);
      owners.set(node, there);
    }
  return owners;
});

/** Which nodes run jobs is not known for certain: demand lies unread, or a message of a source was refused. */
function whyIdleStay({ head, loaded, atSeconds }: Outlook): string | null {
  const unread = head?.unread;
  if (unread !== undefined && unread.nodes > 0) return unreadInWords(unread.messages);
  return doubtsOf(loaded.demand, atSeconds)[0]?.why ?? null;
}

function stateOf({ reported, planned }: NodeSubject): string | null {
  return reported?.status ?? planned?.status ?? null;
}

/** Callers that name fields know that the others are missing. */
function withFields(view: NodeView, fields: NodesQuery["fields"]): NodeView {
  if (fields === undefined) return view;
  return Object.fromEntries(fields.map((field) => [field, view[field]])) as unknown as NodeView;
}

/** CycleCloud's word counts before the plan's. */
function selectableOf({ name, reported, planned }: NodeSubject): Selectable {
  const node = reported ?? planned;
  return {
    name,
    nodeId: reported?.nodeId ?? null,
    hostname: reported?.hostname ?? planned?.hostname ?? null,
    nodeArray: node?.nodeArray ?? "",
    vmSize: node?.vmSize ?? "",
    placementGroup: node?.placementGroup ?? null,
    dynamicArray: node?.dynamicArray,
  };
}
