import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Job } from "../driver.ts";
import { fieldOf } from "../records.ts";
import { type Amount, amountsOf } from "./hosts.ts";
import type { JobContext, LeftOut } from "./job-context.ts";
import { detailsOf, hasWholeNodes, nameOf, orderOf } from "./job-details.ts";
import type { JobRecord } from "./pbs-records.ts";
import { hostsIn, parseExecVnode, parsePlace } from "./select.ts";
import { amountsWritten } from "./wishes.ts";

/** Running, exiting, suspended by the scheduler or by a person at the keyboard: it has its hosts. */
const hasHosts = ["R", "E", "S", "U"];
/** Queued, held, waiting for its time, in transit, an array that began, over. */
const hasNone = ["Q", "H", "W", "T", "B", "X", "F", "M"];

/** A state that is not known leaves a job the hosts that it is said to have. */
export function isRunning({
  job_state: state,
  exec_host,
  exec_vnode,
}: Pick<JobRecord, "job_state" | "exec_host" | "exec_vnode">): boolean {
  return hasHosts.includes(state) || (!hasNone.includes(state) && exec_host + exec_vnode !== "");
}

export function isKnownState(state: string): boolean {
  return hasHosts.includes(state) || hasNone.includes(state);
}

/** A job on its hosts; several where it has more of some of them. */
export function running(record: JobRecord, context: JobContext): readonly Job[] | LeftOut {
  const byHost = sharesOf(record, context);
  for (const name of hostsIn(record.exec_host).map((each) => hostNamed(each, context)))
    if (!byHost.has(name)) byHost.set(name, new Map());
  for (const name of context.listedOn.get(record.id) ?? [])
    if (!byHost.has(name)) byHost.set(name, new Map());
  if (byHost.size === 0) return { leftOut: `runs on "${record.exec_host}", expected hosts` };
  const place = parsePlace(record.Resource_List.get("place") ?? "");
  const exclusive = place !== undefined && !isSuspended(record) && hasWholeNodes(place, context.sharing);
  const groups = [...Map.groupBy(byHost, ([, amounts]) => JSON.stringify([...amounts])).values()];
  return groups.map((group, index): Job => {
    const hosts = group.map(([name]) => name);
    return {
      ...orderOf(record, context),
      ...detailsOf(record, { isRunning: true }),
      name: groups.length === 1 ? nameOf(record) : `${nameOf(record)}.${index + 1}`,
      constraints: amountsWritten(group[0]?.[1] ?? new Map()),
      exclusive,
      ...(hosts.length === 1 ? {} : { nodeCount: hosts.length }),
      executingHostnames: hosts,
    };
  });
}

/** Its hosts stay, and PBS gives others what it had of them. */
export function isSuspended({ job_state }: Pick<JobRecord, "job_state">): boolean {
  return job_state === "S";
}

/** What it has of each host. */
function sharesOf(record: JobRecord, context: JobContext): Map<string, Map<string, Amount>> {
  const byHost = new Map<string, Map<string, Amount>>();
  const add = (execVnode: string, sign: 1 | -1) => {
    for (const { vnode, resources } of parseExecVnode(execVnode) ?? []) {
      const name = hostNamed(vnode, context);
      const amounts = byHost.get(name) ?? new Map<string, Amount>();
      byHost.set(name, amounts);
      for (const [resource, text] of resources) {
        const kind = context.types.kindOf(resource);
        if ((kind !== "amount" && kind !== "size") || !context.types.isScheduled(resource)) continue;
        if (!context.types.isUsedUp(resource)) continue;
        for (const [key, amount] of amountsOf(resource, kind, text)) {
          const value = Number(amounts.get(key)?.value ?? 0) + sign * Number(amount.value);
          if (value > 0) amounts.set(key, { ...amount, value });
          else amounts.delete(key);
        }
      }
    }
  };
  add(record.exec_vnode, 1);
  if (isSuspended(record)) add(record.resources_released || record.exec_vnode, -1);
  if (record.id.split(".")[0] !== record.queue && context.reservedQueues.has(record.queue))
    for (const amounts of byHost.values()) amounts.clear();
  return byHost;
}

function hostNamed(name: string, { hostOf }: Pick<JobContext, "hostOf">): string {
  const host = hostOf.get(name.toLowerCase()) ?? hostOf.get(shortHostname(name));
  return host?.name ?? name.replace(/\[\d+\]$/, "");
}

/** Where a job runs of which not everything can be read. Nowhere: it waits or is over. */
export function hostsOfUnreadable(
  id: string,
  value: unknown,
  context: Pick<JobContext, "listedOn" | "hostOf">,
): readonly string[] {
  const text = (name: string) => {
    const field = typeof value === "string" ? inText(value, name) : fieldOf(value, name);
    return typeof field === "string" ? field : "";
  };
  const state = text("job_state");
  const listed = context.listedOn.get(id) ?? [];
  if (hasNone.includes(state)) return listed;
  const vnodes = (parseExecVnode(text("exec_vnode")) ?? []).map(({ vnode }) => hostNamed(vnode, context));
  const hosts = hostsIn(text("exec_host")).map((name) => hostNamed(name, context));
  return [...new Set([...listed, ...vnodes, ...hosts])];
}

/** Of a record that is no JSON. */
function inText(record: string, name: string): string | undefined {
  const key = `"${name}":`;
  const line = record.split("\n").find((each) => each.trimStart().startsWith(key));
  return /^"([^"]*)"/.exec(line?.trimStart().slice(key.length).trimStart() ?? "")?.[1];
}
