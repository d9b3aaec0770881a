import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { messageOf } from "../../shared/errors/errors.ts";
import type { DriverKind } from "./drivers/driver.ts";
import { checkedKind, driverProblems } from "./drivers/driver-shape.ts";
import { driverNames } from "./drivers/index.ts";

export type LoadedDriver =
  | { readonly ok: true; readonly kind: DriverKind }
  | { readonly ok: false; readonly problem: string };

/** Whether a driver comes with the agent. */
export function isBuiltIn(name: string): boolean {
  return driverNames.some((each) => each === name);
}

/**
 * Loads a driver from a file or an installed package, seen from a folder. It is code that runs with the rights of the agent, so a
 * file that everybody can write is refused. Whatever it returns later is checked (`drivers/driver-shape.ts`).
 */
export async function loadDriver(name: string, folder: string): Promise<LoadedDriver> {
  const refuse = (why: string): LoadedDriver => ({ ok: false, problem: `driver: "${name}", ${why}` });
  const path = pathOf(name, folder);
  if (path === undefined)
    return refuse(
      `expected ${driverNames.join(", ")}, a file such as "./my-driver.mjs", or a package that is installed in ${folder}`,
    );
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() !== true) return refuse(`there is no file ${path}`);
  if ((file.mode & 0o002) !== 0)
    return refuse(`everybody can write ${path}, expected a file that others cannot change`);
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    return refuse(`it cannot be loaded: ${messageOf(error)}`);
  }
  const value = module.default ?? module.driver;
  if (value === undefined)
    return refuse('it exports no driver, expected "export default", or an export of the name "driver"');
  const problems = driverProblems(value);
  if (problems.length > 0) return refuse(`it is no driver: ${problems.join("; ")}`);
  const kind = value as DriverKind;
  if (isBuiltIn(kind.name))
    return refuse(`its name is "${kind.name}", which is that of a driver of the agent`);
  return { ok: true, kind: checkedKind(kind) };
}

/** Undefined for a package that is not installed. */
function pathOf(name: string, folder: string): string | undefined {
  if (name.startsWith("file:")) return fileURLToPath(name);
  if (isAbsolute(name) || /^\.\.?[\\/]/.test(name)) return resolve(folder, name);
  try {
    return createRequire(join(folder, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}
