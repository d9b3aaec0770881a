import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

const script = join(import.meta.dirname, "../../clients/autostop/autostop.sh");

/** A folder with a `jetpack` that knows these keys: `jetpack config KEY DEFAULT`, as on a node. */
export async function fakeJetpack(parent: string, settings: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(parent, "jetpack-"));
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const cases = Object.entries(settings).map(([key, value]) => `${key}) printf '%s\\n' ${quoted(value)} ;;`);
  const text = `#!/usr/bin/env bash\n[[ $1 == config ]] || exit 2\ncase $2 in\n${cases.join("\n")}\n*) echo "$3" ;;\nesac\n`;
  await writeFile(join(folder, "jetpack"), text, { mode: 0o755 });
  return folder;
}

/** Runs the node's script with this folder first on the path; `out` is what it said, on either stream. */
export function runAutostop(path: string): Promise<{ readonly code: number; readonly out: string }> {
  return new Promise((resolve) => {
    const env = { PATH: `${path}:${process.env.PATH ?? ""}`, LC_ALL: "C.UTF-8" };
    execFile("bash", [script], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out: stdout + stderr });
    });
  });
}
