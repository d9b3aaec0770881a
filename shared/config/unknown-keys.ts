import { nearest } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import {
  autostopSchema,
  configSchema,
  nodeArraySchema,
  pseudonymSchema,
  spotSchema,
} from "./config-schema.ts";

/** Keys of the field's scheduler integrations that mean nothing here: a file can be taken over as it is. */
export const foreignKeys: readonly string[] = [
  "$schema",
  "accounting",
  "assume_standalone_hostnames",
  "autoscale",
  "autoscale_json",
  "azpbs_path",
  "azslurmd",
  "cluster_response",
  "config_dir",
  "cost",
  "gridengine",
  "hpcpack",
  "lock_file",
  "logging",
  "node_list",
  "nodehistorydb",
  "output-columns",
  "output_columns",
  "output_format",
  "pbs",
  "pbspro",
  "return-to-idle",
  "valid_hostnames",
];

const topLevelKeys = [...Object.keys(configSchema.shape), "include", ...foreignKeys];
/** Whether a key at the top of a configuration means something here, or did elsewhere. */
export function isKnownKey(key: string): boolean {
  return topLevelKeys.includes(key);
}

const autostopKeys = Object.keys(autostopSchema.shape);
const spotKeys = Object.keys(spotSchema.shape);
const pseudonymKeys = Object.keys(pseudonymSchema.shape);
const nodeArrayKeys = Object.keys(nodeArraySchema.shape);

/** A warning for every unknown key, with the nearest known one. */
export function warnOfUnknownKeys(json: unknown): string[] {
  if (!isDictionary(json)) return [];
  const arrays = isDictionary(json.nodearrays) ? Object.entries(json.nodearrays) : [];
  return [
    ...unknownKeys(json, { knownKeys: topLevelKeys, parent: "" }),
    ...unknownKeys(json.autostop, { knownKeys: autostopKeys, parent: "autostop." }),
    ...unknownKeys(json.pseudonyms, { knownKeys: pseudonymKeys, parent: "pseudonyms." }),
    ...unknownKeys(json.spot, { knownKeys: spotKeys, parent: "spot." }),
    ...arrays.flatMap(([name, array]) =>
      unknownKeys(array, { knownKeys: nodeArrayKeys, parent: `nodearrays.${name}.` }),
    ),
  ];
}

function unknownKeys(
  json: unknown,
  { knownKeys, parent }: { knownKeys: readonly string[]; parent: string },
): string[] {
  if (!isDictionary(json)) return [];
  return Object.keys(json)
    .filter((key) => !knownKeys.includes(key) && !isComment(key))
    .map((key) => {
      const guess = nearest(key, knownKeys);
      return `${parent}${key}: unknown, ignored${guess === null ? "" : `; did you mean "${guess}"?`}`;
    });
}

/** People comment JSON with keys such as `_comment`, and the reference hides its test switches so. */
function isComment(key: string): boolean {
  return key.startsWith("_") || key.startsWith("//");
}
