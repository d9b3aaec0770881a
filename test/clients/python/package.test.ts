import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";
import { python, pythonFiles, root, run, withoutPython } from "./python.ts";

const noPython = withoutPython();
const noBuild = withoutPython("build", "setuptools", "wheel");
const noMypy = withoutPython("mypy");
const noPyflakes = withoutPython("pyflakes");
const shipped = pythonFiles("clients/python");
const unitFiles = pythonFiles("test/clients/python/unit").filter((file) => /\/test_\w+\.py$/.test(file));
const folder = ownFolder();

describe("clients/python", () => {
  test.skipIf(noPython !== "").each(unitFiles)(`%s passes with Debian's python3${noPython}`, async (file) => {
    const env = { PYTHONPATH: `${root}/clients/python:${root}/test/clients/python/unit` };
    const { code, errors } = await run(python, ["-W", "error", file], { env });
    expect(errors).toMatch(/^Ran [1-9]\d* tests? in/m);
    expect({ code, errors }).toMatchObject({ code: 0 });
  });

  test.skipIf(noPython !== "")(`it imports the standard library only${noPython}`, async () => {
    const check = `
import ast, sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path).read())):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        print(*(name for name in names if name.split(".")[0] not in sys.stdlib_module_names))
`;
    const { code, out } = await run(python, ["-c", check, ...shipped]);
    expect({ code, out: out.trim() }).toEqual({ code: 0, out: "" });
    expect(shipped.length).toBeGreaterThan(5);
  });

  test.skipIf(noPython !== "")(
    `every Python file of clients has the syntax of Python 3.9${noPython}`,
    async () => {
      const check =
        "import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path, feature_version=(3, 9))";
      expect(await run(python, ["-c", check, ...pythonFiles("clients")])).toEqual({
        code: 0,
        out: "",
        errors: "",
      });
    },
  );

  test.skipIf(noPyflakes !== "")(`pyflakes finds nothing${noPyflakes}`, async () => {
    const files = pythonFiles("clients", "examples", "test/clients/python");
    expect(await run(python, ["-m", "pyflakes", ...files])).toEqual({ code: 0, out: "", errors: "" });
  });

  test.skipIf(noMypy !== "")(`its types are complete and right (mypy --strict)${noMypy}`, async () => {
    const args = ["-m", "mypy", "--strict", "--cache-dir", folder("mypy"), "clients/python/ccscale"];
    expect(await run(python, args)).toMatchObject({ code: 0, out: expect.stringMatching(/^Success/) });
  });

  test.skipIf(noBuild !== "")(`builds a wheel that can be used where nothing else is${noBuild}`, async () => {
    const source = folder("source");
    await cp(join(root, "clients/python"), source, { recursive: true });
    const built = await run(python, ["-m", "build", "--wheel", "--no-isolation", source]);
    expect(built).toMatchObject({ code: 0, out: expect.stringMatching(/ccscale-[\d.]+-py3-none-any\.whl/) });
    const [wheel = ""] = /ccscale-[\d.]+-py3-none-any\.whl/.exec(built.out) ?? [];
    const installed = folder("installed");
    await run(python, ["-m", "zipfile", "-e", join(source, "dist", wheel), installed]);
    const print = "import ccscale, sys; print(ccscale.__file__, ccscale.__version__)";
    const used = await run(python, [
      "-I",
      "-c",
      `import sys; sys.path.insert(0, ${JSON.stringify(installed)}); ${print}`,
    ]);
    const version = /-([\d.]+)-/.exec(wheel)?.[1];
    expect(used).toEqual({ code: 0, out: `${installed}/ccscale/__init__.py ${version}\n`, errors: "" });
  });
});
