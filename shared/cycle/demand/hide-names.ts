import {
  claimedOrigin,
  hashedText,
  type PseudonymField,
  pseudonymFields,
  pseudonymOf,
  replaceNames,
} from "../../messages/index.ts";
import type { Ports, PseudonymSettings } from "../../ports/index.ts";
import { configuredOr } from "./configured.ts";
import type { RawMessage } from "./reject.ts";

type HidePorts = Pick<Ports, "configs" | "ids" | "log">;

/** Replaces the names in a message of a cluster, or in what it claims, as its configuration says. */
export type HideNames = (body: unknown) => unknown;

/**
 * How names are hidden in messages of the cluster that this one is for. To be used before anything of the message is
 * stored: its demand, its parts, its rejection. Without the key, and while the configuration cannot be read, names are left
 * out: a name that was stored once cannot be called back.
 */
export async function namesHidden(ports: HidePorts, raw: RawMessage): Promise<HideNames> {
  const { cluster } = claimedOrigin(raw.body);
  if (cluster === undefined) return asItIs;
  const settings = await settingsOf(ports, cluster);
  if (settings === undefined) return asItIs;
  const { fields } = settings;
  if (settings === unreadable) return (body) => replaceNames(body, fields, () => undefined);
  let isKeyless = false;
  const replace = (field: PseudonymField, name: string) => {
    const pseudonym = pseudonymIn(ports, settings, { field, name });
    isKeyless ||= pseudonym === undefined;
    return pseudonym;
  };
  return (body) => {
    const hidden = replaceNames(body, fields, replace);
    if (isKeyless)
      ports.log.warn("names-left-out", {
        cluster,
        reason: `app setting ${settings.keySetting} is missing, expected a key of 16 characters or more`,
      });
    return hidden;
  };
}

/** A name as it is stored: what a configuration names (a budget's account) is compared as this. */
export function pseudonymIn(
  { ids }: Pick<Ports, "ids">,
  settings: PseudonymSettings | undefined,
  { field, name }: { readonly field: PseudonymField; readonly name: string },
): string | undefined {
  if (settings?.fields.includes(field) !== true) return name;
  const hash = ids.keyedHash(settings.keySetting, hashedText(field, name));
  return hash === undefined ? undefined : pseudonymOf(hash);
}

const asItIs: HideNames = (body) => body;

/** The unreadable configuration might hide names. */
const unreadable: PseudonymSettings = { keySetting: "", fields: pseudonymFields };

function settingsOf(ports: Pick<Ports, "configs">, cluster: string): Promise<PseudonymSettings | undefined> {
  return configuredOr(ports, cluster, { read: (config) => config?.pseudonyms, unreadable });
}
