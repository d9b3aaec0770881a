import { CommandFailure } from "./exit-code.ts";
import type { SelectionFlags } from "./selection.ts";
import { askAll } from "./service/ask-all.ts";
import type { Service } from "./service/service.ts";

/** A pattern may match nothing; a plain name is expected to exist. */
const wildcard = /[*?[]/;
const mostTold = 20;

/**
 * Throws CommandFailure with every name of a selection that the cluster does not have, after the others are shown: a list
 * would otherwise drop a misspelt name in silence.
 */
export async function refuseUnknownNames(service: Service, flags: SelectionFlags): Promise<void> {
  const problems = [
    ...(await unknownOf(flags.nodeName, "node is called", async (name) =>
      (await nodesOf(service, { name })).map((node) => node.name),
    )),
    ...(await unknownOf(flags.hostname, "node has the host name", async (hostname) =>
      // With and without its domain.
      (
        await nodesOf(service, { hostname })
      ).flatMap((node) =>
        node.hostname === null ? [] : [node.hostname, node.hostname.split(".", 1)[0] ?? ""],
      ),
    )),
    ...(await unknownOf(flags.nodearray, "node array is called", async (nodeArray) => [
      ...(await service.ask("buckets", { query: { nodeArray } })).buckets.map((bucket) => bucket.nodeArray),
      // Dynamic arrays are known by their nodes.
      ...(await nodesOf(service, { nodeArray })).flatMap(({ dynamicArray }) => dynamicArray ?? []),
    ])),
  ];
  if (problems.length === 0) return;
  const more = problems.length - mostTold;
  throw new CommandFailure(
    [...problems.slice(0, mostTold), ...(more > 0 ? [`And ${more} more names.`] : [])].join("\n"),
    'Check the spelling: "ccscale nodes" and "ccscale buckets" list all names.',
  );
}

async function nodesOf(service: Service, query: Readonly<Record<string, string>>) {
  // No node has a resource of this name: what they have is of no interest here, and may be long.
  const call = { query: { ...query, resources: "-" } };
  return (await askAll(service, "nodes", { call, pick: ({ nodes }) => nodes })).items;
}

async function unknownOf(
  given: readonly string[] | undefined,
  what: string,
  knownOf: (names: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const names = [...new Set(given)].filter((name) => !wildcard.test(name));
  if (names.length === 0) return [];
  const known = new Set((await knownOf(names.join(","))).map((name) => name.toLowerCase()));
  return names.filter((name) => !known.has(name.toLowerCase())).map((name) => `No ${what} "${name}".`);
}
