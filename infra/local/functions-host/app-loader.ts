import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { glob } from "tinyglobby";
import { z } from "zod";
import { type AppRegistry, installCore } from "./core.ts";
import { describeError } from "./logger.ts";
import type { LogCategory, LogLevel, ProgrammingModel } from "./rpc.ts";

const manifest = z.object({ main: z.string().min(1).optional(), type: z.string().optional() });

/** An app after its files have run. */
export interface LoadedApp {
  readonly registry: AppRegistry;
  /** The library's side of an invocation; undefined when the app registered nothing. */
  readonly model: ProgrammingModel | undefined;
  /** Loaded files, relative to the app folder. */
  readonly files: readonly string[];
}

interface LoadAppOptions {
  readonly appDir: string;
  /** Glob to use in place of package.json `main`, for example to run TypeScript sources unbuilt. */
  readonly main?: string;
  readonly log: (level: LogLevel, category: LogCategory, message: string) => void;
}

// Registrations of a load go to "the current app" of the one core, so loads in one process take turns.
const turns: { last: Promise<unknown> } = { last: Promise.resolve() };

/**
 * Loads an app the way Azure's worker does: every file that package.json `main` matches, in order, then the appStart
 * hooks. @throws Error when nothing matches or a file throws; neither starts in Azure.
 */
export function loadApp(options: LoadAppOptions): Promise<LoadedApp> {
  const turn = turns.last.then(() => loadNow(options));
  turns.last = turn.catch(() => undefined);
  return turn;
}

async function loadNow({ appDir, main, log }: LoadAppOptions): Promise<LoadedApp> {
  const core = installCore();
  const registry = core.startApp(log);
  const { type, ...found } = readManifest(appDir);
  const pattern = main ?? found.main;
  if (pattern === undefined) {
    throw new Error(
      `Cannot load the app in "${appDir}": package.json has no "main", expected one, or the files after --main`,
    );
  }
  const files = (await glob(pattern, { cwd: appDir, expandDirectories: false })).toSorted();
  if (files.length === 0) {
    throw new Error(
      `Cannot load the app in "${appDir}": no file matches "${pattern}", expected at least one (built?)`,
    );
  }
  for (const file of files)
    await loadFile({ path: join(appDir, file), isModule: type === "module", load: core.loads });
  await registry.runHooks("appStart", { hookData: registry.appHookData });
  registry.lock();
  const model = core.getProgrammingModel();
  // Also locks `app.setup`.
  await model?.getCapabilities({});
  return { registry, model, files };
}

function readManifest(appDir: string): z.output<typeof manifest> {
  const path = join(appDir, "package.json");
  try {
    return manifest.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new Error(`Cannot read "${path}": ${describeError(error)}`, { cause: error });
  }
}

interface LoadFileOptions {
  readonly path: string;
  readonly isModule: boolean;
  /** 1 for the first app of this process. */
  readonly load: number;
}

async function loadFile({ path, isModule, load }: LoadFileOptions): Promise<void> {
  const extension = extname(path);
  try {
    if (extension === ".cjs" || (extension === ".js" && !isModule)) {
      const require = createRequire(path);
      delete require.cache[resolve(path)];
      require(path);
      return;
    }
    // A module that was imported before would not run again under the same URL, and so not register anything.
    const { href } = pathToFileURL(path);
    await import(load === 1 ? href : `${href}?load=${load}`);
  } catch (error) {
    throw new Error(`Cannot load "${path}": ${describeError(error)}`, { cause: error });
  }
}
