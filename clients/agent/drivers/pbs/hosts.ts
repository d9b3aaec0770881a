import { memberOf, shortHostname } from "../../../../shared/engine/index.ts";
import { stateMeaning } from "./node-states.ts";
import type { JobRecord, NodeRecord } from "./pbs-records.ts";
import { amountIn, type ResourceTypes } from "./pbs-resources.ts";
import { parseExecVnode } from "./select.ts";

/** A host with its vnodes: mostly one. */
export interface Host {
  readonly name: string;
  readonly vnodes: readonly NodeRecord[];
  readonly states: ReadonlySet<string>;
  /** Jobs that PBS has there. */
  readonly jobs: readonly string[];
  /** Whom it is kept for: confirmed reservations, a queue, another scheduler. */
  readonly keptFor: readonly string[];
  readonly comment: string;
  /** When a state of it last changed (Unix time); undefined: never. */
  readonly changedSeconds: number | undefined;
  /** Whether its node daemon ever answered. */
  readonly hasAnswered: boolean;
}

/**
 * The vnodes of one host together. `comments`: those that were seen last, of hosts that are offline and have lost theirs. `reservations`:
 * those of which it is known what they hold of each vnode.
 */
export function hostsOf(
  records: readonly NodeRecord[],
  comments: Readonly<Record<string, string>>,
  reservations: readonly Pick<JobRecord, "id" | "exec_vnode">[] = [],
): readonly Host[] {
  const sharesOf = new Map(
    reservations.map(({ id, exec_vnode }) => [
      id,
      new Set(parseExecVnode(exec_vnode)?.map(({ vnode }) => vnode)),
    ]),
  );
  const byHost = Map.groupBy(records, ({ name, resources_available }) =>
    shortHostname(resources_available.get("host") ?? name.replace(/\[\d+\]$/, "")),
  );
  return [...byHost].map(([short, vnodes]): Host => {
    const changes = vnodes.map(({ last_state_change_time: at }) => Number(at)).filter((at) => at > 0);
    const states = new Set(
      vnodes.flatMap(({ state }) => state.split(",").map((each) => each.trim().toLowerCase())),
    );
    const comment = vnodes.find((vnode) => vnode.comment !== "")?.comment ?? "";
    const seen = states.has("offline") ? memberOf(comments, short) : undefined;
    return {
      // The vnode that is called like its host; with several vnodes the others have a number behind it.
      name: vnodes.reduce(
        (shortest, { name }) => (name.length < shortest.length ? name : shortest),
        vnodes[0]?.name ?? "",
      ),
      vnodes,
      states,
      jobs: [...new Set(vnodes.flatMap(({ jobs }) => jobs))],
      keptFor: [
        ...new Set(
          vnodes.flatMap(({ name: vnode, resv, queue, partition }) => [
            ...resv.filter((id) => sharesOf.get(id)?.has(vnode) !== true).map((id) => `reservation ${id}`),
            ...(queue === "" ? [] : [`of queue ${queue}`]),
            ...(isOtherPartition(partition) ? [`of partition ${partition}`] : []),
          ]),
        ),
      ],
      comment: comment === "" ? (seen ?? "") : comment,
      changedSeconds: changes.length === 0 ? undefined : Math.max(...changes),
      hasAnswered: vnodes.some(({ pbs_version: version, resources_available }) =>
        version === "" ? resources_available.has("arch") : version !== "unavailable",
      ),
    };
  });
}

/** PBS's usual scheduler calls its own partition so. */
export function isOtherPartition(partition: string): boolean {
  return partition !== "" && partition !== "pbs-default";
}

/** Hosts by every name under which a job may run there. */
export function byName(hosts: readonly Host[]): ReadonlyMap<string, Host> {
  return new Map(
    hosts.flatMap((host) =>
      host.vnodes.flatMap(({ name, Mom, resources_available }) =>
        [name, Mom.split(",")[0] ?? "", resources_available.get("host") ?? ""]
          .filter((each) => each !== "")
          .flatMap((each) => [[each.toLowerCase(), host] as const, [shortHostname(each), host] as const]),
      ),
    ),
  );
}

/** Names of hosts by the jobs that PBS has there. */
export function hostsByJob(hosts: readonly Host[]): ReadonlyMap<string, readonly string[]> {
  const each = hosts.flatMap(({ name, jobs }) => jobs.map((job) => ({ job, name })));
  const byJob = Map.groupBy(each, ({ job }) => job);
  return new Map([...byJob].map(([job, there]) => [job, there.map(({ name }) => name)]));
}

/** Whether PBS has anything there: jobs, or resources that are given to some. */
export function isBusy(host: Host, running: ReadonlySet<string>): boolean {
  if (host.jobs.length > 0 || running.has(shortHostname(host.name))) return true;
  return host.vnodes.some(({ resources_assigned }) =>
    [...resources_assigned.values()].some((value) => (amountIn(value) ?? 0) > 0),
  );
}

/** Whether it takes jobs as far as its node daemon is concerned. */
export function answers(host: Host): boolean {
  return host.hasAnswered && ![...host.states].some((state) => stateMeaning(state) === "no-host");
}

/** Names of resources that say which node it is, or that the driver sets itself. */
const identity = new Set(["host", "vnode", "ccnodeid", "arch"]);

/**
 * What PBS counts of a host, in the words of constraints: all of it, whether it is used or not. A list of texts is a resource for
 * each of them. Undefined: something of it is not among the resources that qmgr lists.
 */
export function resourcesOf(
  { vnodes }: Host,
  types: ResourceTypes,
  isProperty: (name: string) => boolean,
): ReadonlyMap<string, Amount> | undefined {
  const all = new Map<string, Amount>();
  for (const { resources_available } of vnodes) {
    for (const [name, value] of resources_available) {
      const kind = types.kindOf(name);
      if (kind === undefined) return undefined;
      if (identity.has(name) || isProperty(name) || !types.isScheduled(name)) continue;
      for (const [key, amount] of amountsOf(name, kind, value)) {
        const before = all.get(key);
        const isSum = typeof before?.value === "number" && typeof amount.value === "number";
        all.set(key, isSum ? { ...amount, value: Number(before.value) + Number(amount.value) } : amount);
      }
    }
  }
  return all;
}

/** A value of a resource, in the words of constraints. */
export interface Amount {
  readonly value: number | string | boolean;
  /** Bytes, which are written with their unit. */
  readonly isSize?: true;
}

export function amountsOf(
  name: string,
  kind: ReturnType<ResourceTypes["kindOf"]>,
  value: string,
): readonly (readonly [string, Amount])[] {
  const amount = amountIn(value);
  switch (kind) {
    case "amount":
      return amount === undefined ? [] : [[name, { value: amount }]];
    case "size":
      if (amount === undefined) return [];
      // PBS counts in KiB; no rounding, so that a job of exactly a node's memory gets the node.
      return name === "mem"
        ? [["memmb", { value: amount / 2 ** 20 }]]
        : [[name, { value: amount, isSize: true }]];
    case "boolean":
      return [[name, { value: /^(?:true|t|yes|y|1)$/i.test(value) }]];
    case "texts":
      return value.split(",").map((each) => [textKey(name, each.trim()), { value: true }] as const);
    case "text":
      return [[name, { value }]];
    case "none":
    case undefined:
      return [];
  }
}

/** A text of a list is a resource of its own: a job asks for one of them. */
export function textKey(name: string, value: string): string {
  return `${name}=${value}`.slice(0, 256);
}

/** As messages have it. */
export function written({ value, isSize }: Amount): number | string | boolean {
  return isSize === true ? `size::${value}` : value;
}
