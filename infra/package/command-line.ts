/** Joins `ccscale` and its dependencies into a few files, `dist/ccscale`: a start loads one file in place of three hundred. */
import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { englishOnly } from "./english-only.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "dist/ccscale");

/**
 * Asks for these with `require`: `import` reads all that a module exports, and some of it is worked out, or loads the whole of
 * `fetch`, when it is read.
 */
const readLazily = /^(node:)?(http|process)$/;

const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: readLazily }, ({ path, namespace }) =>
      namespace === "required" ? { path, external: true } : { path, namespace: "required" },
    );
    onLoad({ filter: readLazily, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require("${path}");`,
    }));
  },
};

await rm(folder, { recursive: true, force: true });
await build({
  // The second is what worker threads load.
  entryPoints: ["clients/cli/main.ts", "clients/cli/backtest/run-worker.ts"],
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  // What a command loads when it needs it stays a file of its own.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // An optional package, whose WebAssembly lies beside it.
  external: ["highs"],
  // Dependencies in the older form of modules ask for Node.js's own with `require`, which this form has not.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "eof",
  plugins: [lazyBuiltins, englishOnly],
  logLevel: "warning",
});

// The transcripts of examples lie beside the pages of "ccscale help" that show them. Its topics are pages of docs, which the package has.
await cp(join(root, "clients/cli/reference/printed"), join(folder, "printed"), {
  recursive: true,
  filter: (path) => !path.endsWith("variants"),
});
