import { warnOfUnknownArrays } from "../../../shared/names/unknown-arrays.ts";
import type { DefinitionInput } from "../../../shared/simulated-cyclecloud/index.ts";
import { printable } from "../../../shared/text/text.ts";
import { unusable } from "../config-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { listed } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { parseFor, type Task } from "./one-run.ts";
import type { RunFlags } from "./run-flags.ts";
import { combinations, withValues } from "./vary.ts";

/** Each with a configuration that can be used: a value that cannot is refused before anything runs. */
export function tasksOf(
  json: unknown,
  { name: cluster, nodearrays }: Pick<DefinitionInput, "name" | "nodearrays">,
  { vary = [], seed, config }: Pick<RunFlags, "vary" | "seed" | "config">,
): readonly Task[] {
  const asConfigured = parseFor(cluster, json);
  if (!asConfigured.ok) throw unusable(config || "the stored configuration", asConfigured.problems);
  const arrays = nodearrays.map(({ name }) => name);
  return combinations(vary).map((varied) => {
    const own = withValues(json, varied);
    const problems = problemsOf(own, { cluster, arrays, keys: Object.keys(varied) });
    if (problems.length > 0)
      throw new CommandFailure(listed("Cannot vary the settings:", problems), "Fix --vary, then try again.");
    return { json: own, varied, seed };
  });
}

/** What is wrong with values that vary. An unknown key or node array would change nothing, and look like an answer. */
function problemsOf(
  json: unknown,
  of: { readonly cluster: string; readonly arrays: readonly string[]; readonly keys: readonly string[] },
): readonly string[] {
  const parsed = parseFor(of.cluster, json);
  if (!parsed.ok) return parsed.problems;
  const warnings = [...parsed.config.warnings, ...warnOfUnknownArrays(json, of.arrays)];
  return warnings
    .filter((warning) =>
      of.keys.some(
        (key) =>
          [":", "."].some((end) => warning.startsWith(`${key}${end}`)) ||
          // Warnings begin with the path of what they are about.
          key.startsWith(`${warning.split(":")[0] ?? ""}.`),
      ),
    )
    .map((warning) => warning.replace(": unknown, ignored;", ": unknown;"));
}

export function reportWarnings(
  { stderr }: Terminal,
  json: unknown,
  { name, nodearrays }: Pick<DefinitionInput, "name" | "nodearrays">,
): void {
  const parsed = parseFor(name, json);
  const arrays = nodearrays.map((array) => array.name);
  const warnings = [...(parsed.ok ? parsed.config.warnings : []), ...warnOfUnknownArrays(json, arrays)];
  for (const warning of warnings) stderr.write(`warning: ${printable(warning)}\n`);
}
