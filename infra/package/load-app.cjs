// Loads an app as the Azure Functions worker does, and tells how long it took. Usage: node load-app.cjs <app folder> [files]
const { Module } = require("node:module");
const { globSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const functions = [];
const core = {
  version: "3.10.1",
  hostVersion: "4.1040.0",
  Disposable: class {},
  setProgrammingModel() {},
  getProgrammingModel() {},
  registerFunction: (metadata) => functions.push(metadata.name),
  registerHook() {},
  log() {},
};
const load = Module.prototype.require;
Module.prototype.require = function require(id) {
  return id === "@azure/functions-core" ? core : load.call(this, id);
};

(async () => {
  const [, , folder, files] = process.argv;
  const started = performance.now();
  const main = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).main;
  for (const file of globSync(files ?? main(), { cwd: folder })) {
    const path = join(folder, file);
    if (file.endsWith(".cjs")) require(path);
    else await import(pathToFileURL(path).href);
  }
  const loaded = performance.now();
  const mebibytes = process.memoryUsage().rss / 1024 ** 2;
  console.log(
    JSON.stringify({ functions: functions.length, loadMs: loaded - started, totalMs: loaded, mebibytes }),
  );
  process.exit(0);
})().catch((error) => {
  // Node.js itself would print the line of the script that failed, which is of hundreds of kilobytes, and cut the stack.
  console.error(error.stack);
  process.exit(1);
});
