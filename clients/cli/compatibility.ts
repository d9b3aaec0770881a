import { Option } from "commander";
import type { EngineSettings } from "../../shared/engine/index.ts";

/** `scalelib`: plan as scalelib does, also where it departs from its own documentation. `none`: as this service does. */
export type Compatibility = "scalelib" | "none";

/** Recorded cases tell what scalelib did, so they are replayed its way unless told otherwise. */
export const compatibilityOfRecords: Compatibility = "scalelib";

/** The option of every command that plans. */
export function compatibilityOption(): Option {
  return new Option(
    "--compatibility <with>",
    `whose undocumented ways to follow (default: ${compatibilityOfRecords} with --json-lines, else none)`,
  ).choices(["scalelib", "none"] satisfies Compatibility[]);
}

export function withCompatibility(settings: EngineSettings, compatibility: Compatibility): EngineSettings {
  return compatibility === "none" ? settings : { ...settings, compatibility };
}
