import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Package {
  readonly version: string;
  /** Where the package lies, with a slash at the end. */
  readonly folder: string;
}

/** This package. It lies two folders up from the sources and from the joined build, and three from a plain one. */
const ownPackage: Package | undefined = ["../../package.json", "../../../package.json"]
  .map((path) => new URL(path, import.meta.url))
  .map(packageIn)
  .find((each) => each !== undefined);

export const version: string = ownPackage?.version ?? "unknown";

/** A file of this package by its path; undefined where only a part of it was installed. */
export function packagedFile(path: string): string | undefined {
  return ownPackage && `${ownPackage.folder}${path}`;
}

function packageIn(file: URL): Package | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isOurs = typeof json === "object" && json !== null && "version" in json && "name" in json;
    return isOurs && json.name === "cyclecloud-autoscale"
      ? { version: String(json.version), folder: fileURLToPath(new URL(".", file)) }
      : undefined;
  } catch {
    return undefined;
  }
}
