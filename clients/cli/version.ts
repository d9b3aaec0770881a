import { readFileSync } from "node:fs";

/** Of this package. It lies two folders up from the sources and from the joined build, and three from a plain one. */
export const version: string =
  ["../../package.json", "../../../package.json"]
    .map((path) => new URL(path, import.meta.url))
    .map(versionIn)
    .find((found) => found !== undefined) ?? "unknown";

function versionIn(file: URL): string | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isOurs = typeof json === "object" && json !== null && "version" in json && "name" in json;
    return isOurs && json.name === "cyclecloud-autoscale" ? String(json.version) : undefined;
  } catch {
    return undefined;
  }
}
