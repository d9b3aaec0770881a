/** Bundles the dashboard into `dist/dashboard`: scripts, a style sheet, and their names. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const root = resolve(import.meta.dirname, "../..");

/** A file by its name, which holds a digest of its content: it may be cached for ever. */
export type DashboardFiles = ReadonlyMap<string, Uint8Array>;

type Edits = readonly (readonly [words: RegExp, instead: string])[];

/**
 * What uPlot has and the page does not use, and what stands there instead: kinds of curves, its own legend, a cursor, scales
 * that are not linear, points that have an x each, marks of time. It attaches them to its class or chooses at run time, so that no bundler
 * leaves them out.
 */
const unusedOfCharts: Readonly<Record<string, Edits>> = {
  "uPlot.esm.js": [
    [/\(paths\.(?:stepped|bars|spline) *= \w+\);/g, ""],
    [/uPlot\.(?:join|rangeLog|rangeAsinh|orient|addGap|clipGaps) *= \w+;/g, ""],
    [/const showLegend = legend\.show;/g, "const showLegend = false;"],
    [/const showCursor += [^\n]*/g, "const showCursor = false;"],
    [/(?:cursor\.dataIdx == null|\blegend\.live|\bselect\.show)\b/g, "false"],
    [/\n\tbind: \{[\s\S]*?\n\t\},\n/g, "\n"],
    // The page has its own marks of the time axis, in the words of the viewer's locale.
    [/const _(time(?:AxisSplits|AxisVals|SeriesVal)|tzDate|fmtDate) +=[^\n]*/g, "const _$1 = undefined;"],
    [/const \[ timeIncrs(?:Ms|S)[^\n]*/g, ""],
    [/\bisTime\b(?! *=)/g, "false"],
    [/uPlot\.(?:fmtDate|tzDate) += [^\n]*/g, ""],
    [/\[_min, _max\] = rangeNum\([^\n]*/g, ";"],
    [/const font += [^\n]*/g, 'const font = "12px system-ui,sans-serif";'],
    [/const syncOpts = assign\(\{[\s\S]*?\}, cursor\.sync\);/g, "const syncOpts = { match: [] };"],
    [/Object\.defineProperty\(self, 'rect', \{[\s\S]*?\n\t\}\);/g, ""],
    [/\(opts\.plugins \|\| \[\]\)\.forEach\([\s\S]*?\n\t\}\);/g, ""],
    [/\n\tself\.(?:setCursor|redraw) = \([\s\S]*?\n\t\};/g, ""],
    [/events\["setSeries"\] = [\s\S]*?\n\t\};/g, ""],
    [/\b(?:\w+\.)?distr == +(?:2|3|4|100)\b/g, "false"],
    [/\bsc\.distr >= 3\b/g, "false"],
    [/\bmode == 2\b/g, "false"],
    [/\bmode == 1\b/g, "true"],
    [/\bms == 1\b/g, "false"],
    // The bodies of functions, up to the indentation of their ends: for a cursor that is off, a legend, and to add curves later.
    [
      /(?<=\n\tfunction (?:updateCursor|cacheMouse|mouse(?:Move|Down|Up|Leave)|dblClick|initCursorPt|initLegendRow|syncLegend|setLegendValues|setFocus|setLegend|setSelect|setSel[HV]|addSeries|delSeries|addBand|setBand|delBand|pub|pubSync|syncRect|setSeries|toggleDOM|setAlpha|onMouse|offMouse|autoPadSide)\([^\n]*\) \{\n)[\s\S]*?(?=\n\t\}\n)/g,
      "",
    ],
    // Likewise of functions outside of the class: for scales that are not linear or find their range, and bands.
    [
      /(?<=\nfunction (?:rangeLog|rangeAsinh|logAxisSplits|asinhAxisSplits|log(?:2|10)AxisValsFilt|clipBandLine|_?rangeNum|points|seriesPointsShow|cursorPoint\w+)\([^\n]*\) \{\n)[\s\S]*?(?=\n\}\n)/g,
      "",
    ],
  ],
  "uPlot.min.css": [[/(?:^|(?<=\}))\.u-(?:title|legend|inline|series)[^}]*\}/g, ""]],
};

/** Leaves that out: a quarter of uPlot. Throws when another version has other words: then look at what it has. */
export const slimCharts: Plugin = {
  name: "slim-charts",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]uPlot\.(?:esm\.js|min\.css)$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [words, instead] of unusedOfCharts[basename(path)] ?? []) {
        if (contents.search(words) < 0) throw new Error(`Cannot slim "${path}": it has no ${words}`);
        contents = contents.replaceAll(words, instead);
      }
      return { contents, loader: path.endsWith(".css") ? "css" : "js" };
    });
  },
};

/** What the function serves: `files.json` has the names of the script, of the style sheet, and of all files. */
export async function bundleDashboard(): Promise<DashboardFiles> {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: "clients/dashboard/main.tsx", style: "clients/dashboard/style.css" },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "eof",
    // What only some deployments need is a file of its own.
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: "dashboard",
    logLevel: "warning",
    write: false,
    metafile: true,
    plugins: [slimCharts],
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents] as const));
  const madeOf = (entry: string) =>
    basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? "");
  const names = {
    script: madeOf("clients/dashboard/main.tsx"),
    style: madeOf("clients/dashboard/style.css"),
    all: [...files.keys()],
  };
  return files.set("files.json", Buffer.from(JSON.stringify(names)));
}

export async function writeDashboard(folder: string): Promise<void> {
  const files = await bundleDashboard();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
}

if (import.meta.main) await writeDashboard(join(root, "dist/dashboard"));
