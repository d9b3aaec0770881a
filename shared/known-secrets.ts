import { serviceBusConnection, storageConnection } from "./names.ts";

/** Settings whose values are secrets, whatever else they are called after that. */
const secretSetting = /^(CYCLECLOUD_PASSWORD|AUTOSTOP_PASSWORD|CCSCALE_KEY)\w*$/;

/** Secrets that these settings hold: what is shown must hold none of them. */
export function knownSecretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    secretSetting.test(name) && value ? [value] : [],
  );
  return [...named, ...keysIn(env[storageConnection]), ...keysIn(env[serviceBusConnection])];
}

/** The keys of a connection string. */
export function keysIn(connectionString = ""): readonly string[] {
  const keys = connectionString.matchAll(/(?:AccountKey|SharedAccessKey)=([^;]+)/g);
  return [...keys].flatMap(([, key]) => (key === undefined ? [] : [key]));
}
