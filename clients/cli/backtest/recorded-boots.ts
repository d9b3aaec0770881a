import { fewestBoots, type RecordedBoots, recordedBoots } from "../../../shared/cycle/index.ts";
import type { NodeHistory } from "../../../shared/engine/index.ts";
import type { ClusterConfig } from "../../../shared/ports/index.ts";
import type { DefinitionInput } from "../../../shared/simulated-cyclecloud/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { counted } from "../../../shared/text/text.ts";

/** What the service remembers of the nodes of a cluster. */
export interface NodesPast {
  readonly history: readonly NodeHistory[];
  /** When that was read. */
  readonly atSeconds: number;
}

/** A definition whose boots are as recorded where that is known, and where they come from: sentences. */
export interface WithBoots {
  readonly definition: DefinitionInput;
  readonly boots: readonly string[];
}

/** Boot times and failures from node history. A size with too few boots gets its array's, an array with too few the simulator's. */
export function withRecordedBoots(
  definition: DefinitionInput,
  { history, atSeconds }: NodesPast,
  { engine }: Pick<ClusterConfig, "engine">,
): WithBoots {
  const { bootTimeoutSeconds } = engine;
  const bootsOf = recordedBoots(history, { nowSeconds: atSeconds, bootTimeoutSeconds });
  const notes = new Notes();
  const nodearrays = definition.nodearrays.map((array) => {
    const own = array.machineTypes.map((vmSize) => ({
      vmSize,
      boots: bootsOf({ nodeArray: array.name, vmSize }),
    }));
    const all = together(own.map(({ boots }) => boots));
    const recorded = own.flatMap(({ vmSize, boots }) => {
      const used = isEnough(boots) ? boots : isEnough(all) ? all : undefined;
      notes.add(`${array.name}/${vmSize}`, used, used === boots);
      return used === undefined ? [] : [[vmSize, toRecorded(used)] as const];
    });
    return { ...array, recordedBoots: Object.fromEntries(recorded) };
  });
  return { definition: { ...definition, nodearrays }, boots: notes.sentences() };
}

function isEnough({ count }: RecordedBoots): boolean {
  return count >= fewestBoots;
}

function together(all: readonly RecordedBoots[]): RecordedBoots {
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    seconds: all.flatMap(({ seconds }) => seconds).toSorted((a, b) => a - b),
  };
}

/** With fewer successful boots there is no estimate of their duration. */
function toRecorded({ seconds, count, failed }: RecordedBoots) {
  return {
    failureRate: failed / count,
    ...(seconds.length < fewestBoots ? {} : { seconds: [...seconds] }),
  };
}

/** Which boots each size got. */
class Notes {
  readonly #sized: string[] = [];
  readonly #arrays = new Map<string, string[]>();
  readonly #usual: string[] = [];

  add(bucket: string, used: RecordedBoots | undefined, isOwn: boolean): void {
    if (used === undefined) this.#usual.push(bucket);
    else if (isOwn) this.#sized.push(`${bucket} (${words(used)})`);
    else this.#arrays.set(words(used), [...(this.#arrays.get(words(used)) ?? []), bucket]);
  }

  sentences(): readonly string[] {
    const own = this.#sized;
    const usual = this.#usual;
    return [
      ...(own.length === 0
        ? []
        : [`Boot times and failures as the service recorded them in the last 7 days: ${own.join(", ")}.`]),
      ...[...this.#arrays].map(
        ([boots, buckets]) =>
          `Boot times and failures as recorded of their whole node array (${boots}), because fewer than ${fewestBoots} boots of the size are: ${buckets.join(", ")}.`,
      ),
      ...(usual.length === 0
        ? []
        : [
            `The simulator's usual boot times (1m to 5m, median 2m) and no failures, because fewer than ${fewestBoots} boots of the node array are recorded: ${usual.join(", ")}.`,
          ]),
    ];
  }
}

function words({ count, failed, seconds }: RecordedBoots): string {
  const median = seconds[Math.ceil(seconds.length / 2) - 1] ?? 0;
  const times =
    seconds.length < fewestBoots ? "too few Ready for times: usual ones" : `median ${duration(median)}`;
  return `${counted(count, "boots")}, ${failed} failed, ${times}`;
}
