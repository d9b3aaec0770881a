import type { ConfigBody, ConfigChanged } from "../api/index.ts";
import { guaranteeProblems, overlappingSchedules, type WorldPorts } from "../cycle/index.ts";
import { kindOf } from "../errors/errors.ts";
import { isDictionary } from "../json/json.ts";
import { warnOfUnknownArrays } from "../names/unknown-arrays.ts";
import type { ConfigFiles, IfMatch, Ports } from "../ports/index.ts";
import { isSame, redactMember, secretsIn } from "../text/redact.ts";
import { readDictionary } from "../views/index.ts";
import { foreseeConfig } from "./foresee-config.ts";
import { keepUnknown, keepVersion } from "./keep-version.ts";

type ConfigPorts = WorldPorts &
  Pick<Ports, "configVersions" | "events" | "log"> & { readonly configFiles: ConfigFiles };

/** `settings`: all except the address and identity of the CycleCloud server, which decide where the password is sent. */
export type ConfigChanges = "off" | "settings" | "all";

export interface ConfigWish {
  readonly cluster: string;
  readonly body: ConfigBody;
  /** What the caller expects to replace: a file with this ETag, `none`, `some` file, or `any` (no check). */
  readonly seen: { readonly etag: string } | "none" | "some" | "any";
  readonly allowed: ConfigChanges;
  readonly knownSecrets: readonly string[];
}

export type ConfigOutcome =
  | { readonly outcome: "answered"; readonly answer: ConfigChanged }
  | { readonly outcome: "unusable"; readonly problems: readonly string[] }
  | { readonly outcome: "forbidden"; readonly problems: readonly string[] }
  /** The stored file is not the one that the caller has seen. */
  | { readonly outcome: "changed-meanwhile" };

/** Keys for the address and identity of the server that receives the password. */
const connectionKeys = [
  "url",
  "username",
  "password_setting",
  "verify_certificates",
  "certificate_authority",
  "certificate_fingerprint",
] as const;

const longestCluster = 256;
/** Keys of destinations and of how to reach them. */
const mostSecrets = 50;
const longestPath = 500;

/** Checks a configuration with its includes, and stores it in place of the one that the caller has seen. */
export async function changeConfig(ports: ConfigPorts, wish: ConfigWish): Promise<ConfigOutcome> {
  const { cluster, body, seen, allowed, knownSecrets } = wish;
  const named = nameProblems(cluster);
  if (named.length > 0) return { outcome: "unusable", problems: named };
  const checked = await ports.configFiles.check(cluster, body.config, body.includes);
  if (!checked.ok) return { outcome: "unusable", problems: checked.problems };
  // The text is stored as it was sent: `include` stays, and its files are read again at every start.
  const next = body.includes === undefined ? body.config : checked.json;
  if (!isDictionary(next)) return { outcome: "unusable", problems: ["config: expected an object"] };
  const secrets = secretsIn(next, knownSecrets)
    .slice(0, mostSecrets)
    .map((path) => `${path.slice(0, longestPath)}: looks like a secret, expected it in an app setting`);
  if (secrets.length > 0) return { outcome: "unusable", problems: secrets };

  const file = await ports.configFiles.read(cluster);
  if (!isSeen(seen, file?.etag)) return { outcome: "changed-meanwhile" };
  const before = file && dictionaryIn(file.text);
  const merged = before && (await ports.configFiles.check(cluster, before)).json;
  const forbidden = forbiddenChanges(allowed, dictionary(merged), dictionary(checked.json));
  if (forbidden.length > 0) return { outcome: "forbidden", problems: forbidden };
  const overdrawn = await guaranteeProblems(ports, checked.config);
  if (overdrawn.length > 0) return { outcome: "unusable", problems: overdrawn };

  const changes = changesOf(before, next, knownSecrets);
  const arrays = await arraysOf(ports, cluster);
  const effects = changes.length === 0 ? [] : await foreseeConfig(ports, cluster, checked.config);
  const warnings = [
    ...checked.config.warnings,
    ...warnOfUnknownArrays(checked.json, arrays),
    ...overlappingSchedules(checked.config, ports.clock.nowSeconds()),
  ];
  const told = { cluster, changes, warnings, effects };
  const answer = (outcome: ConfigChanged["outcome"], etag: string | undefined): ConfigOutcome => {
    const summary = summaries[outcome].replace("%s", `"${cluster}"`);
    const atSeconds = ports.clock.nowSeconds();
    return { outcome: "answered", answer: { ...told, atSeconds, outcome, summary, etag: etag ?? null } };
  };
  if (changes.length === 0) return answer("nothing-to-do", file?.etag);
  if (body.dryRun) return answer("would", file?.etag);
  if (file !== undefined) {
    const changesSince = (text: string) =>
      changesOf(dictionaryIn(text), dictionaryIn(file.text), knownSecrets);
    await keepUnknown(ports, cluster, { text: file.text, changesSince });
  }
  const text = `${JSON.stringify(next, null, 2)}\n`;
  const etag = await saved(ports.configFiles, { cluster, text, ifMatch: file?.etag });
  if (etag === undefined) return { outcome: "changed-meanwhile" };
  await keepVersion(ports, cluster, { by: body.by, reason: body.reason, changes, text });
  const keys = [...new Set(changes.map((change) => change.split(/[:.]/)[0]))].join(", ");
  ports.log.info("config-changed", { cluster, requestedBy: body.by, reason: body.reason, keys });
  return answer("done", etag);
}

/** The node arrays of the newest snapshot; none before the first one. */
async function arraysOf(ports: Pick<Ports, "snapshots">, cluster: string): Promise<readonly string[]> {
  const snapshot = await ports.snapshots.load(cluster);
  return snapshot?.value.cluster.nodeArrays.map(({ name }) => name) ?? [];
}

const summaries: Readonly<Record<ConfigChanged["outcome"], string>> = {
  done: "Stored the configuration of cluster %s. It counts from the next snapshot on.",
  would: "Would store the configuration of cluster %s.",
  "nothing-to-do": "Nothing to do: cluster %s has this configuration.",
};

/** Names end up in addresses, logs and tables. */
function nameProblems(cluster: string): readonly string[] {
  const isName = cluster !== "" && cluster.length <= longestCluster && !/\p{Cc}/u.test(cluster);
  return isName ? [] : [`cluster: expected a name of at most ${longestCluster} characters`];
}

function isSeen(seen: ConfigWish["seen"], etag: string | undefined): boolean {
  if (typeof seen === "object") return seen.etag === etag;
  switch (seen) {
    case "any":
      return true;
    case "some":
      return etag !== undefined;
    case "none":
      return etag === undefined;
  }
}

function forbiddenChanges(
  allowed: ConfigChanges,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (allowed === "all") return [];
  if (allowed === "off") return ["configurations are not changed through this API"];
  return connectionKeys
    .filter((key) => !isSame(before[key], after[key]))
    .map((key) => `${key}: says where the password is sent to, which is not changed through this API`);
}

/** Undefined when another change was faster. */
async function saved(
  files: ConfigFiles,
  file: { readonly cluster: string; readonly text: string; readonly ifMatch: IfMatch },
): Promise<string | undefined> {
  try {
    return await files.save(file.cluster, file.text, file.ifMatch);
  } catch (error) {
    if (kindOf(error) !== "conflict") throw error;
    return undefined;
  }
}

function dictionaryIn(text: string): Dictionary {
  return dictionary(readDictionary(text));
}

function dictionary(value: unknown): Dictionary {
  return isDictionary(value) ? value : {};
}

type Dictionary = Readonly<Record<string, unknown>>;

const longestShown = 200;

/** One line per value that differs, by its path, without secrets. `before` is undefined when there was no file. */
function changesOf(
  before: Dictionary | undefined,
  after: Dictionary,
  knownSecrets: readonly string[] = [],
): readonly string[] {
  if (before === undefined) return [`new, with the keys ${Object.keys(after).join(", ")}`];
  return changesUnder("", { before, after }, knownSecrets);
}

function changesUnder(
  path: string,
  { before, after }: { readonly before: Dictionary; readonly after: Dictionary },
  knownSecrets: readonly string[],
): readonly string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => !isSame(before[key], after[key]))
    .flatMap((key) => {
      const [then, now] = [before[key], after[key]];
      // An object whose key marks its content as secret is reported as a whole.
      const isOpen =
        isSame(redactMember(key, then, knownSecrets), then) &&
        isSame(redactMember(key, now, knownSecrets), now);
      if (isOpen && isDictionary(then) && isDictionary(now))
        return changesUnder(`${path}${key}.`, { before: then, after: now }, knownSecrets);
      return [`${path}${key}: ${shown(before, key, knownSecrets)} -> ${shown(after, key, knownSecrets)}`];
    });
}

function shown(json: Dictionary, key: string, knownSecrets: readonly string[]): string {
  if (!Object.hasOwn(json, key)) return "(absent)";
  const text = JSON.stringify(redactMember(key, json[key], knownSecrets));
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
