import { execFile } from "node:child_process";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const node = join(root, "node_modules/node/bin/node");

/** Prints every module file that is loaded, at the end, to the error output. */
const recorder = `
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on("exit", () => process.stderr.write("\\nloaded " + JSON.stringify(urls)));
`;

/** Files of the repository that a command line loads, and the packages. */
async function loadedBy(...args: readonly string[]) {
  const record = `data:text/javascript,${encodeURIComponent(recorder)}`;
  const main = join(root, "clients/cli/main.ts");
  const { stderr } = await promisify(execFile)(node, ["--import", record, main, ...args], { cwd: root });
  const urls: readonly string[] = JSON.parse(/\nloaded (.*)$/s.exec(stderr)?.[1] ?? "");
  const paths = urls
    .filter((url) => url.startsWith("file:"))
    .map((url) => relative(root, fileURLToPath(url)).replaceAll("\\", "/"));
  return {
    files: paths.filter((path) => !path.startsWith("node_modules/")),
    packages: new Set(paths.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
  };
}

describe("what a start of ccscale loads", () => {
  test.each(["--help", "--version"])("%s loads no command, no schema and one package", async (option) => {
    const { files, packages } = await loadedBy(option);
    expect([...packages]).toEqual(["commander"]);
    expect(files.filter((path) => !path.startsWith("clients/cli/"))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(20);
    expect(files).toContain("clients/cli/program.ts");
  });

  test("a command loads no other command's module, and no client of a storage account", async () => {
    const { files, packages } = await loadedBy("jobs", "--help");
    expect(files).toContain("clients/cli/commands/jobs.ts");
    expect(files).not.toContain("clients/cli/commands/what-if.ts");
    expect([...packages].filter((name) => name.startsWith("@azure/storage"))).toEqual([]);
  });

  test("only a topic of the help loads the parser of Markdown", async () => {
    expect((await loadedBy("help", "explain")).packages).not.toContain("marked");
    expect((await loadedBy("help", "constraints")).packages).toContain("marked");
  });
});
