import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { z } from "zod";

/** App settings by name, as the app sees them in `process.env`. */
export type Settings = Readonly<Record<string, string>>;

const localSettings = z.object({
  IsEncrypted: z.literal(false).optional(),
  Values: z.record(z.string(), z.coerce.string()).default({}),
});

interface LoadSettingsOptions {
  readonly appDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly overrides?: Settings;
}

/**
 * Merges the Values of local.settings.json (if there), the environment and the overrides; the later wins, so an
 * environment variable beats the file as it does with Core Tools. @throws Error when the file is not readable.
 */
export function loadSettings({ appDir, environment, overrides = {} }: LoadSettingsOptions): Settings {
  const present = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    FUNCTIONS_WORKER_RUNTIME: "node",
    AZURE_FUNCTIONS_ENVIRONMENT: "Development",
    ...readLocalSettings(join(appDir, "local.settings.json")),
    ...Object.fromEntries(present),
    ...overrides,
  };
}

function readLocalSettings(path: string): Settings {
  if (!existsSync(path)) return {};
  const parsed = localSettings.safeParse(parse(readFileSync(path, "utf8")));
  if (!parsed.success) throw new Error(`Cannot read "${path}": ${z.prettifyError(parsed.error)}`);
  return parsed.data.Values;
}

/** Puts the settings into this process, where the app reads them; the result puts the old values back. */
export function exportSettings(settings: Settings): () => void {
  const before = new Map(Object.keys(settings).map((name) => [name, process.env[name]]));
  Object.assign(process.env, settings);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/** A setting as .NET finds it: a nested name may be written with `__` or `:`. */
export function findSetting(settings: Settings, name: string): string | undefined {
  return settings[name] ?? settings[name.replaceAll("__", ":")] ?? settings[name.replaceAll(":", "__")];
}

/**
 * Replaces every `%NAME%` by the setting of that name, in text, lists and objects.
 * @throws Error that names a setting which is not there; in Azure that function does not start either.
 */
export function resolveExpressions<T>(value: T, settings: Settings): T {
  const resolve = (at: unknown): unknown => {
    if (typeof at === "string") return resolveText(at, settings);
    if (Array.isArray(at)) return at.map(resolve);
    if (typeof at !== "object" || at === null) return at;
    return Object.fromEntries(Object.entries(at).map(([key, child]) => [key, resolve(child)]));
  };
  return resolve(value) as T;
}

function resolveText(text: string, settings: Settings): string {
  return text.replaceAll(/%([^%\s]+)%/g, (expression, name: string) => {
    const setting = findSetting(settings, name);
    if (setting !== undefined) return setting;
    throw new Error(`Cannot resolve "${expression}" in "${text}": no such setting, expected "${name}"`);
  });
}
