import { z } from "zod";
import { messageOf } from "../../shared/errors/errors.ts";
import { parseJson } from "../../shared/json/json.ts";
import type { Command, NamedNodes } from "./drivers/driver.ts";
import { compactHostlist } from "./drivers/slurm/hostlist.ts";
import type { NamedNodesPorts } from "./named-nodes.ts";

/** KeepAlive changes seldom, and asking costs a call. */
const everySeconds = 60;

const oursSchema = z.array(z.string());

/** What became of nodes that nobody is to switch off, in one pass. */
export interface KeptAliveReport {
  /** What was changed, on which side and why; a sentence each. */
  readonly changes: readonly string[];
  readonly commands: number;
  readonly problems: readonly string[];
}

/**
 * Keeps two lists in step: the nodes that the service keeps alive, and those that the scheduler never switches off. What one side
 * has because of the other is known to be so, and goes with its reason: the service's record says it of a node that is kept for the
 * scheduler, and a file of ours of a node that the scheduler spares for the service.
 */
export class KeptAlive {
  readonly #ports: NamedNodesPorts;
  /** Names that the scheduler spares because we told it so. */
  #ours: ReadonlySet<string> | undefined;
  #nextSeconds = 0;
  #lastSeen = "";
  #notices: readonly string[] = [];

  constructor(ports: NamedNodesPorts) {
    this.#ports = ports;
  }

  /** For the status: what cannot be kept in step. */
  get notices(): readonly string[] {
    return this.#notices;
  }

  /** Never throws: what did not work is tried again. Before nodes that are switched off are deleted. */
  async tend({ exempt, going }: NamedNodes, nowSeconds: number): Promise<KeptAliveReport> {
    const changes: string[] = [];
    const commands: Command[] = [];
    const report = (problems: readonly string[]) => ({ changes, commands: commands.length, problems });
    if (exempt === undefined) return report([]);
    const { reserved = [], notice } = exempt;
    const seen = JSON.stringify([exempt.names, exempt.on, reserved, going]);
    if (nowSeconds < this.#nextSeconds && seen === this.#lastSeen) return report([]);
    this.#nextSeconds = nowSeconds + everySeconds;
    this.#lastSeen = seen;
    try {
      const { service, run } = this.#ports;
      const before = await this.#load();
      const on = new Set(exempt.on);
      const spared = new Set(exempt.names);
      const known = new Set([...on, ...spared, ...before, ...reserved, ...going]);
      const nodes = known.size === 0 ? [] : await service.nodes([...known]);
      const there = nodes.filter(({ name }) => known.has(name));
      const namesOf = (side: (typeof there)[number]["keptAlive"]) =>
        there.filter(({ keptAlive }) => keptAlive === side).map(({ name }) => name);
      const toSpare = new Set([...namesOf("others"), ...reserved]);

      const added = [...toSpare].filter((name) => !spared.has(name));
      const removed = [...before].filter((name) => spared.has(name) && !toSpare.has(name));
      const changed = added.length + removed.length === 0 ? [] : exempt.change(added, removed);
      this.#notices = [
        ...("refused" in changed ? [changed.refused] : []),
        ...(notice === undefined ? [] : [notice]),
      ];
      if (!("refused" in changed)) {
        const still = [...before].filter((name) => spared.has(name) || toSpare.has(name));
        // Before the commands: what is ours has to be remembered, even by who dies in the next moment.
        await this.#save([...added, ...still]);
        for (const command of changed) {
          commands.push(command);
          await run(command);
        }
        // Files say the same again until the scheduler has read them.
        const isNews = (name: string) => changed.length > 0 || !before.has(name);
        const isReserved = new Set(reserved);
        const news = added.filter(isNews);
        note(
          changes,
          news.filter((name) => !isReserved.has(name)),
          "kept alive, so the scheduler does not switch it off",
        );
        note(
          changes,
          news.filter((name) => isReserved.has(name)),
          "a reservation needs it, so the scheduler does not switch it off",
        );
        note(
          changes,
          removed,
          "no longer kept alive or needed by a reservation, so the scheduler may switch it off again",
        );
      }

      // Where somebody powers it down all the same, its machine goes.
      const isPersons = (name: string) => on.has(name) && spared.has(name) && !before.has(name);
      const kept = there
        .filter(({ keptAlive, targetState }) => keptAlive === undefined && targetState === "Started")
        .flatMap(({ name }) => (isPersons(name) ? name : []));
      const released = namesOf("scheduler").filter((name) => !isPersons(name));
      if (kept.length > 0) await service.keepAlive(kept, true);
      note(changes, kept, "the scheduler never switches it off, so it is kept alive");
      if (released.length > 0) await service.keepAlive(released, false);
      note(changes, released, "the scheduler may switch it off, so it is no longer kept alive");
      return report([]);
    } catch (error) {
      return report([messageOf(error)]);
    }
  }

  async #load(): Promise<ReadonlySet<string>> {
    if (this.#ours !== undefined) return this.#ours;
    const text = await this.#ports.load();
    try {
      this.#ours = new Set(oursSchema.parse(parseJson(text ?? "[]")));
    } catch {
      // Then they are a person's: what a person set stays.
      this.#ours = new Set();
    }
    return this.#ours;
  }

  async #save(names: readonly string[]): Promise<void> {
    const before = [...(await this.#load())].toSorted();
    const after = names.toSorted();
    if (JSON.stringify(before) !== JSON.stringify(after)) await this.#ports.save(JSON.stringify(after));
    this.#ours = new Set(after);
  }
}

function note(changes: string[], names: readonly string[], what: string): void {
  if (names.length > 0) changes.push(`${compactHostlist(names)}: ${what}`);
}
