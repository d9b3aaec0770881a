import type { KnownProblem } from "../api/index.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { warnOfMissing } from "../names/unknown-arrays.ts";
import type { ClusterConfig, PlanWarnings } from "../ports/index.ts";
import { counted, someOf } from "../text/text.ts";

interface Facts {
  readonly config: ClusterConfig | ConfigurationError | undefined;
  /** Names of the node arrays that the cluster has; empty: not known. */
  readonly nodeArrays: readonly string[];
}

/** Settings of node arrays that are not there have no effect, and a budget of one holds nothing. */
export function unknownArrays({ config, nodeArrays }: Facts): readonly KnownProblem[] {
  if (config === undefined || config instanceof ConfigurationError) return [];
  const [first, ...others] = warnOfMissing(config.namedArrays ?? [], nodeArrays);
  if (first === undefined) return [];
  const more =
    others.length === 0
      ? ""
      : ` And ${counted(others.length, "settings")} more like it: \`ccscale config show\`.`;
  const sentence = first.endsWith("?") ? first : `${first}.`;
  const text = `The configuration names a node array that is not there, so this has no effect. ${sentence}${more}`;
  const next =
    "Correct it and store it again: `ccscale config push FILE`; an array that is still to come needs nothing.";
  return [{ gravity: "notice", kind: "unknown-node-arrays", text, next }];
}

/** Jobs that ask for a resource that could not be calculated find no node that has it. */
export function unsetResources({
  warnings,
}: {
  readonly warnings: readonly PlanWarnings[];
}): readonly KnownProblem[] {
  return warnings
    .filter(({ code }) => code === "default-resource")
    .map(({ count, subjects, message }) => {
      const where = [...new Set(subjects)];
      const more = count > subjects.length ? `, ${count} times in all` : "";
      const text = `${message} (${someOf(where)}${more}). It is left out there.`;
      const next =
        "Correct the entry of default_resources, or give it a select that leaves those nodes out; all of them: `ccscale plans ID`.";
      return { gravity: "notice", kind: "default-resources-unset", text, next };
    });
}

/** `nodearrays.<name>.deallocate` of an array whose nodes cannot be. */
export function neverDeallocated({
  warnings,
}: {
  readonly warnings: readonly PlanWarnings[];
}): readonly KnownProblem[] {
  return warnings
    .filter(({ code }) => code === "never-deallocated")
    .map(({ message, subjects }) => ({
      gravity: "notice",
      kind: "never-deallocated",
      text: `${message}. Idle ones are deleted.`,
      next: `Take it out for ${someOf(subjects)}: \`ccscale config unset nodearrays.NAME.deallocate\`.`,
    }));
}
