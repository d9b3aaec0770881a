import { isDictionary } from "../../../shared/json/json.ts";
import type { FromScheduler } from "./migration.ts";

type Json = Readonly<Record<string, unknown>>;

const nothing = { usual: {}, taken: [], differs: [], without: [] };

/** azpbs: its hook ran the autoscaler, and PBS itself says what the driver needs. */
export function fromAzpbs(): FromScheduler {
  return {
    ...nothing,
    agent: { source: "pbs", driver: "pbs" },
    differs: [
      'the hook "autoscale" of PBS: qmgr -c "set hook autoscale enabled = false" before read_only is taken out',
    ],
  };
}

/** azge: node arrays have to be named, because Grid Engine's files do not. */
export function fromAzge(json: Json, given: readonly string[]): FromScheduler {
  const named = isDictionary(json.nodearrays) ? Object.keys(json.nodearrays) : [];
  const arrays = [...new Set([...given, ...named.filter((name) => name !== "default")])];
  const section = isDictionary(json.gridengine) ? Object.keys(json.gridengine) : [];
  return {
    ...nothing,
    agent: {
      source: "gridengine",
      driver: "gridengine",
      gridengine: { node_arrays: Object.fromEntries(arrays.map((name) => [name, {}])) },
    },
    taken: arrays.map((name) => `node array ${name}: its nodes join @allhosts`),
    differs: ["the line azge autoscale in root's crontab: remove it before read_only is taken out"],
    without: section.map((key) => `autoscale.json: gridengine.${key}`),
  };
}
