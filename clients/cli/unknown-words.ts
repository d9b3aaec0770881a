import { suggestion } from "./choices.ts";
import { CommandFailure } from "./exit-code.ts";
import type { Service } from "./service/service.ts";

/** What CycleCloud calls the states of nodes; a cluster may have others. */
const usualStates: readonly string[] = [
  ...["Off", "Acquiring", "Preparing", "Ready", "Failed", "Restarting", "Reimaging", "Stopping"],
  ...["Deallocated", "Terminating", "Terminated"],
];

const wildcard = /[*?[]/;

/** Throws CommandFailure for a state that no node has and CycleCloud does not use: an empty list would look like an answer. */
export async function refuseUnknownStates(service: Service, states: string | undefined): Promise<void> {
  const unusual = unknownIn(states, usualStates);
  if (unusual.length === 0) return;
  const knownStates = [...new Set([...usualStates, ...Object.keys((await service.ask("status")).nodes)])];
  const [unknown] = unknownIn(states, knownStates);
  if (unknown !== undefined)
    throw new CommandFailure(
      `No state of a node is called "${unknown}"`,
      `${suggestion(unknown, knownStates)}Expected of ${knownStates.join(", ")}; wildcards such as "Fail*" are allowed.`,
    );
}

/** The service compares without regard to case. */
function unknownIn(states: string | undefined, knownStates: readonly string[]): readonly string[] {
  const words = (states ?? "").split(",").map((word) => word.trim());
  const names = new Set(knownStates.map((name) => name.toLowerCase()));
  return words.filter((word) => word !== "" && !wildcard.test(word) && !names.has(word.toLowerCase()));
}

/** Throws CommandFailure for a source that the cluster does not know, with those that it knows. */
export async function refuseUnknownSource(service: Service, source: string | undefined): Promise<void> {
  if (source === undefined) return;
  const sources = (await service.ask("status")).demand.map((each) => each.source);
  if (sources.includes(source)) return;
  throw new CommandFailure(
    `No source is called "${source}"`,
    sources.length === 0
      ? "No source has posted any demand."
      : `${suggestion(source, sources)}The cluster knows ${sources.join(", ")}.`,
  );
}
