import { isDictionary } from "../../../shared/json/json.ts";
import type { FromScheduler } from "./migration.ts";

type Json = Readonly<Record<string, unknown>>;

const nothing = { usual: {}, taken: [], differs: [], without: [], problems: [] };

/** Every value of a section with the path to it; an empty list or object is one. */
function leavesIn(value: unknown, path: readonly string[]): readonly (readonly string[])[] {
  if (!isDictionary(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, member]) => leavesIn(member, [...path, key]));
}

const inText = (path: readonly string[]) => `autoscale.json: ${path.join(".")}`;

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** azpbs: its hook ran the autoscaler, and PBS itself says what the driver needs. */
export function fromAzpbs(json: Json): FromScheduler {
  const section = isDictionary(json.pbspro) ? json.pbspro : {};
  const [readOnly, queues] = [textsOf(section.read_only_resources), textsOf(section.ignore_queues)];
  const lists: Record<"taken" | "differs" | "without", string[]> = { taken: [], differs: [], without: [] };
  for (const path of [json.pbspro, json.pbs].flatMap((value, index) =>
    value === undefined ? [] : leavesIn(value, [index === 0 ? "pbspro" : "pbs"]),
  ))
    switch (path.join(".")) {
      case "pbspro.read_only_resources":
      case "pbspro.ignore_queues":
        lists.taken.push(inText(path));
        break;
      case "pbspro.ignore_hostnames_re":
        lists.differs.push(
          `${inText(path)}, an expression there; pbs.ignore_hosts takes patterns with * and ?`,
        );
        break;
      case "pbspro.ignore_onprem":
        lists.differs.push(`${inText(path)}: hosts that CycleCloud did not make are never touched here`);
        break;
      default:
        lists.without.push(inText(path));
    }
  const settings = {
    ...(queues.length === 0 ? {} : { ignore_queues: queues }),
    ...(readOnly.length === 0 ? {} : { read_only_resources: readOnly }),
  };
  return {
    ...nothing,
    ...lists,
    sections: ["pbspro", "pbs"],
    agent: { source: "pbs", driver: "pbs", ...(Object.keys(settings).length === 0 ? {} : { pbs: settings }) },
    differs: [
      'the hook "autoscale" of PBS: qmgr -c "set hook autoscale enabled = false" before read_only is taken out',
      ...lists.differs,
    ],
  };
}

/** azge: node arrays have to be named, because Grid Engine's files do not. */
export function fromAzge(json: Json, given: readonly string[]): FromScheduler {
  const named = isDictionary(json.nodearrays) ? Object.keys(json.nodearrays) : [];
  const arrays = [...new Set([...given, ...named.filter((name) => name !== "default")])];
  const told = json.gridengine === undefined ? [] : leavesIn(json.gridengine, ["gridengine"]);
  const lists: Record<"taken" | "differs" | "without", string[]> = { taken: [], differs: [], without: [] };
  const colocated = new Map<string, boolean>();
  const ignored: string[] = [];
  for (const path of told) {
    const [, kind = "", name = "", key = ""] = path;
    const value = path.reduce<unknown>((value, key) => (isDictionary(value) ? value[key] : undefined), json);
    if (kind === "pes" && key === "requires_placement_groups" && typeof value === "boolean") {
      colocated.set(name, value);
      lists.taken.push(inText(path));
    } else if (kind === "queues" && key === "autoscale_enabled" && typeof value === "boolean") {
      if (!value) ignored.push(name);
      lists.taken.push(inText(path));
    } else if (differentInAzge.has(kind)) lists.differs.push(`${inText(path)}: ${differentInAzge.get(kind)}`);
    else lists.without.push(inText(path));
  }
  return {
    ...nothing,
    sections: ["gridengine"],
    agent: {
      source: "gridengine",
      driver: "gridengine",
      gridengine: {
        node_arrays: Object.fromEntries(arrays.map((name) => [name, {}])),
        ...(colocated.size === 0
          ? {}
          : {
              parallel_environments: Object.fromEntries(
                [...colocated].map(([name, value]) => [name, { colocated: value }]),
              ),
            }),
        ...(ignored.length === 0 ? {} : { ignore_queues: ignored }),
      },
    },
    taken: [...arrays.map((name) => `node array ${name}: its nodes join @allhosts`), ...lists.taken],
    differs: [
      "the line azge autoscale in root's crontab: remove it before read_only is taken out",
      ...lists.differs,
    ],
    without: lists.without,
    problems:
      arrays.length > 0 ? [] : ["no node array is named: those whose nodes join need --nodearray NAME …"],
  };
}

const differentInAzge = new Map([
  ["hostgroups", "node_arrays.<name>.host_groups, the other way round"],
  ["default_hostgroups", "node_arrays.<name>.host_groups"],
  ["get_host_template", "node_arrays.<name>.complex_values and slots"],
]);
