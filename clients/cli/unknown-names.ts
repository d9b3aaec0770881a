import type { NodeView } from "../../shared/api/index.ts";
import { nearest } from "../../shared/engine/index.ts";
import { nearestName } from "../../shared/names/near-names.ts";
import { CommandFailure } from "./exit-code.ts";
import type { SelectionFlags } from "./selection.ts";
import { askAll } from "./service/ask-all.ts";
import type { Service } from "./service/service.ts";

/** A pattern may match nothing; a plain name is expected to exist. */
const wildcard = /[*?[]/;
const mostTold = 20;

/** Throws CommandFailure with the selected names that the cluster lacks, after the others: a list would drop a typo in silence. */
export async function refuseUnknownNames(service: Service, flags: SelectionFlags): Promise<void> {
  const problems = [
    ...(await unknownOf(flags.nodeName, {
      what: "node is called",
      knownOf: async (name) => (await nodesOf(service, { name })).map((node) => node.name),
      allOf: async () => (await nodesOf(service, {})).map((node) => node.name),
      meant: nearestName,
    })),
    ...(await unknownOf(flags.hostname, {
      what: "node has the host name",
      // With and without its domain.
      knownOf: async (hostname) => (await nodesOf(service, { hostname })).flatMap(hostsOf),
      allOf: async () => (await nodesOf(service, {})).flatMap(hostsOf),
      meant: nearestName,
    })),
    ...(await unknownOf(flags.nodearray, {
      what: "node array is called",
      knownOf: async (nodeArray) => [
        ...(await arraysOf(service, { nodeArray })),
        // Dynamic arrays are known by their nodes.
        ...(await nodesOf(service, { nodeArray })).flatMap(({ dynamicArray }) => dynamicArray ?? []),
      ],
      allOf: () => arraysOf(service, {}),
      meant: nearest,
    })),
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

function hostsOf({ hostname }: NodeView): readonly string[] {
  return hostname === null ? [] : [hostname, hostname.split(".", 1)[0] ?? ""];
}

async function arraysOf(service: Service, query: Readonly<Record<string, string>>) {
  const { buckets } = await service.ask("buckets", { query });
  return [...new Set(buckets.map(({ nodeArray }) => nodeArray))];
}

interface Kind {
  readonly what: string;
  /** Those of the given names that there are. */
  readonly knownOf: (names: string) => Promise<readonly string[]>;
  /** All that there are: asked only to find what was meant. */
  readonly allOf: () => Promise<readonly string[]>;
  readonly meant: (word: string, names: readonly string[]) => string | null;
}

async function unknownOf(
  given: readonly string[] | undefined,
  { what, knownOf, allOf, meant }: Kind,
): Promise<readonly string[]> {
  const names = [...new Set(given)].filter((name) => !wildcard.test(name));
  if (names.length === 0) return [];
  const knownNames = new Set((await knownOf(names.join(","))).map((name) => name.toLowerCase()));
  const unknown = names.filter((name) => !knownNames.has(name.toLowerCase()));
  if (unknown.length === 0) return [];
  const all = await allOf();
  return unknown.map((name, index) => {
    // One comparison with every name for each that is shown.
    const near = index < mostTold ? meant(name, all) : null;
    return near === null ? `No ${what} "${name}".` : `No ${what} "${name}"; did you mean "${near}"?`;
  });
}
