import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { python, type Ran, root as repository, run } from "../clients/python/python.ts";

/** A CycleCloud node in a folder: a Python and a command `jetpack` of CycleCloud's, and ours installed over them. */
export interface JetpackNode {
  /** Its root folder. */
  readonly root: string;
  /** What the installation printed. */
  readonly installed: Ran;
  /** CycleCloud's own Python, with CycleCloud's own package `jetpack`. */
  readonly python: string;
  run(program: string, args: readonly string[], more?: { readonly cwd?: string }): Promise<Ran>;
}

/** CycleCloud's own: answers `config KEY DEFAULT` from these settings, and says what else it is asked for. */
function ownJetpack(settings: Readonly<Record<string, string>>): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const cases = Object.entries(settings).map(([key, value]) => `${key}) printf '%s\\n' ${quoted(value)} ;;`);
  return `#!/usr/bin/env bash
[[ $1 == config ]] || { printf 'own'; printf ' <%s>' "$@"; exit 7; }
case $2 in
${cases.join("\n")}
*) echo "$3" ;;
esac
`;
}

/** Modules of CycleCloud's package, as far as scripts notice which one they have. */
const ownPackage = {
  "__init__.py": "IS_OWN = True\n",
  "config.py": "def get(key, default=None):\n    return f'own {key}'\n",
  "autoscale.py": "raise RuntimeError('CycleCloud was asked')\n",
};

/** Installs the project on a node whose configuration is `settings`. `folder` is empty. */
export async function installJetpack(
  folder: string,
  settings: Readonly<Record<string, string>>,
  { isTooOld = false } = {},
): Promise<JetpackNode> {
  const root = join(folder, "node");
  const own = join(root, "opt/cycle/jetpack");
  await mkdir(join(own, "bin"), { recursive: true });
  await writeFile(join(own, "bin/jetpack"), ownJetpack(settings), { mode: 0o755 });
  await run(python, ["-m", "venv", "--without-pip", join(own, "system/embedded")]);
  const embedded = join(own, "system/embedded/bin/python");
  const { out: site } = await run(embedded, ["-c", "import site; print(site.getsitepackages()[0], end='')"]);
  await mkdir(join(site, "jetpack"));
  for (const [name, text] of Object.entries(ownPackage)) await writeFile(join(site, "jetpack", name), text);
  if (isTooOld) {
    await rm(embedded);
    await writeFile(embedded, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }

  for (const part of ["jetpack", "python"])
    await cp(join(repository, "clients", part), join(folder, "clients", part), { recursive: true });
  await run(join(folder, "clients/jetpack/stage.sh"), []);
  const spec = join(folder, "clients/jetpack/specs/default/cluster-init");
  const path = (first: string) => `${first}:${process.env.PATH ?? ""}`;
  const installed = await run(join(spec, "scripts/10-jetpack.sh"), [], {
    env: { PATH: path(join(own, "bin")), CYCLECLOUD_SPEC_PATH: spec, CCSCALE_ROOT: root },
  });
  const env = {
    PATH: path(`${join(root, "opt/ccscale-jetpack/bin")}:${join(own, "bin")}`),
    CCSCALE_SETTINGS: join(root, "etc/ccscale/client.json"),
  };
  return {
    root,
    installed,
    python: embedded,
    run: (program, args, { cwd = folder } = {}) => run(program, args, { env, cwd }),
  };
}
