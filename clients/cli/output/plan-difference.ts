import type { Plan } from "../../../shared/engine/index.ts";
import { isDictionary } from "../../../shared/json.ts";
import { printable } from "../../../shared/text.ts";

/** What a plan decided, and with which settings. */
export type Decisions = Pick<Plan, "jobs" | "create" | "start" | "retire"> & {
  /** By path; a setting is what JSON says of it. */
  readonly settings: object;
};

/**
 * What differs between two plans, in lines: settings first, then nodes that are created by array, size and placement
 * group, nodes that are started and retired, and jobs that wait. Empty: they decided the same.
 */
export function planDifference(before: Decisions, after: Decisions): readonly string[] {
  return [
    ...changed("setting", leaves(before.settings), leaves(after.settings)),
    ...changed("create", created(before), created(after)),
    ...changed("start", named(before.start), named(after.start)),
    ...changed("retire", named(before.retire, "cause"), named(after.retire, "cause")),
    ...changed("waiting", waiting(before), waiting(after)),
  ];
}

type Facts = ReadonlyMap<string, string>;

/** What is there once only, and what is different: a line each. */
function changed(what: string, before: Facts, after: Facts): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const was = before.get(name) ?? "none";
    const is = after.get(name) ?? "none";
    return was === is ? [] : [printable(`${what} ${name}: ${was} -> ${is}`)];
  });
}

/** How many nodes of each kind: names of new nodes differ from plan to plan. */
function created({ create }: Decisions): Facts {
  const counts = new Map<string, number>();
  for (const { nodeArray, vmSize, placementGroup, count } of create) {
    const bucket = [nodeArray, vmSize, ...(placementGroup === null ? [] : [placementGroup])].join(" ");
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  return new Map([...counts].map(([bucket, count]) => [bucket, String(count)]));
}

function named(nodes: readonly { readonly name: string; readonly cause?: string }[], word?: "cause"): Facts {
  return new Map(nodes.map((node) => [node.name, (word && node[word]) ?? "yes"]));
}

/** A job that both plans know, and one that only one of them knows, differ alike: by what it got. */
function waiting({ jobs }: Decisions): Facts {
  return new Map(
    jobs.flatMap(({ name, asked, granted }) =>
      granted >= asked ? [] : [[name, `has ${granted} of ${asked}`] as const],
    ),
  );
}

function leaves(value: unknown, path = ""): Facts {
  if (!isDictionary(value)) return new Map(path === "" ? [] : [[path, JSON.stringify(value) ?? "none"]]);
  const inner = Object.entries(value).flatMap(([key, each]) => [
    ...leaves(each, path === "" ? key : `${path}.${key}`),
  ]);
  return new Map(inner);
}
