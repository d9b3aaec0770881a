import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { ConfigurationError, hasCode, messageOf } from "../../shared/errors/errors.ts";
import { schedulerNodeSchema } from "../../shared/messages/index.ts";
import { type HeldLock, takeLock } from "./lock.ts";

const decisionSchema = z.object({
  kind: z.enum(["drain", "undrain"]),
  nodeId: z.string(),
  /** When it was decided; of two decisions about a node the later one counts. */
  atSeconds: z.number(),
  /** When the agent first got it. */
  sinceSeconds: z.number(),
  /** Its join, should it come while the node is to drain: it is acted on when the node is wanted again. */
  join: schedulerNodeSchema.optional(),
});

const stateSchema = z.object({
  version: z.literal(1),
  /** What was last asked of hosts, by `shortHostname`. */
  decisions: z.record(z.string(), decisionSchema),
  /** The driver's own. */
  memory: z.record(z.string(), z.unknown()),
});

/** What the agent knows across restarts. Losing it costs nothing but a fresh start: the service repeats what matters. */
export type AgentState = z.infer<typeof stateSchema>;
export type Decision = z.infer<typeof decisionSchema>;

const sequenceSchema = z.object({ sequence: z.int().min(0) });

const fresh: AgentState = { version: 1, decisions: {}, memory: {} };

/** Files of one agent in its folder. They are replaced as a whole, so that a crash leaves the old or the new content. */
export class StateFolder {
  readonly #folder: string;
  readonly #source: string;
  readonly #prefix: string;

  constructor(folder: string, agent: { readonly cluster: string; readonly source: string }) {
    this.#folder = folder;
    this.#source = agent.source;
    this.#prefix = `${encodeURIComponent(agent.cluster)}.${agent.source}`;
  }

  /** The state, and whether a file was there that cannot be used. Throws ConfigurationError for a folder without rights. */
  async load(): Promise<{ readonly state: AgentState; readonly isDamaged: boolean }> {
    const text = await this.read("state");
    if (text === undefined) return { state: fresh, isDamaged: false };
    const parsed = stateSchema.safeParse(parse(text));
    return parsed.success ? { state: parsed.data, isDamaged: false } : { state: fresh, isDamaged: true };
  }

  save(state: AgentState): Promise<void> {
    return this.write("state", JSON.stringify(state));
  }

  /** The number of the newest message that was sent, or that may have been; 0 when nobody knows. */
  async loadSequence(): Promise<number> {
    const parsed = sequenceSchema.safeParse(parse((await this.read("sequence")) ?? ""));
    return parsed.success ? parsed.data.sequence : 0;
  }

  saveSequence(sequence: number): Promise<void> {
    return this.write("sequence", JSON.stringify({ sequence }));
  }

  /** Keeps other agents of the source away from these files. */
  lock(): Promise<HeldLock> {
    return takeLock(this.#path("lock"), { source: this.#source });
  }

  /** The content of a file; undefined when there is none. */
  async read(name: string): Promise<string | undefined> {
    try {
      return await readFile(this.#path(name), "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw this.#unusable(error);
    }
  }

  async write(name: string, text: string): Promise<void> {
    const path = this.#path(name);
    const draft = `${path}.new`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(draft, "w", 0o600);
      try {
        await file.writeFile(text);
        // Without it a power cut may leave the new name with nothing in it.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, `${this.#prefix}.${name}.json`);
  }

  #unusable(error: unknown): ConfigurationError {
    return new ConfigurationError(`state folder "${this.#folder}"`, [messageOf(error)]);
  }
}

/** Undefined: no JSON. Whatever members are called, these files hold what this program wrote. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
