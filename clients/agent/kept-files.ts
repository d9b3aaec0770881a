import type { Answer, ClusterParts, Command, DrawnUpFiles, Driver } from "./drivers/driver.ts";
import { changesIn, writeChange } from "./scheduler-files.ts";

/** Node arrays and limits change seldom, and asking costs a call. */
const everySeconds = 60;

export interface KeptFilesPorts {
  readonly files: NonNullable<Driver["files"]>;
  readonly cluster: () => Promise<ClusterParts>;
  readonly run: (command: Command) => Promise<{ readonly text: string; readonly exitCode: number }>;
  /** Remembers across restarts that files were written and the scheduler has not read them yet. */
  readonly isOpen: () => Promise<boolean>;
  readonly setOpen: (isOpen: boolean) => Promise<void>;
}

/** What became of the files in one pass. */
export interface FilesReport {
  readonly written: readonly string[];
  /** Somebody else's files, which stay as they are. */
  readonly foreign: readonly string[];
  /** Whether the scheduler has read them. */
  readonly applied: boolean;
  /** What an administrator has to do before it can. */
  readonly refused: string | undefined;
  readonly notes: readonly string[];
}

/** Files of the scheduler that follow from the cluster: written when they differ, and read by the scheduler then. */
export class KeptFiles {
  readonly #ports: KeptFilesPorts;
  #nextSeconds = 0;
  #lastStanding = JSON.stringify([[], undefined]);

  constructor(ports: KeptFilesPorts) {
    this.#ports = ports;
  }

  /** Undefined: nothing new. Throws when the service, a file or the scheduler refuses; the next pass tries again. */
  async keep(nowSeconds: number): Promise<FilesReport | undefined> {
    if (nowSeconds < this.#nextSeconds) return undefined;
    this.#nextSeconds = nowSeconds + everySeconds;
    const { files, cluster, isOpen, setOpen } = this.#ports;
    const drawnUp = files(await cluster());
    const changes = await changesIn(drawnUp.folder, drawnUp);
    const foreign = changes.filter((change) => change.isForeign).map(({ path }) => path);
    // One file alone could name what another does not have.
    const open = foreign.length === 0 ? changes : [];
    if (open.length > 0) await setOpen(true);
    for (const change of open) await writeChange(change, drawnUp.folder);
    const { applied, refused } = (await isOpen())
      ? await this.#apply(drawnUp.apply)
      : { applied: false, refused: undefined };
    if (refused === undefined) await setOpen(false);
    const standing = JSON.stringify([foreign, refused]);
    const isNews = open.length > 0 || applied || standing !== this.#lastStanding;
    this.#lastStanding = standing;
    const written = open.map(({ path }) => path);
    return isNews ? { written, foreign, applied, refused, notes: drawnUp.notes } : undefined;
  }

  async #apply(apply: DrawnUpFiles["apply"]) {
    const nothing = { applied: false, refused: undefined };
    if (apply === undefined) return nothing;
    const answers: Record<string, Answer> = {};
    for (const read of apply.reads) answers[read.name] = await this.#ports.run(read);
    const decided = apply.decide(answers);
    if ("refused" in decided) return { ...nothing, refused: decided.refused };
    await this.#ports.run(decided.command);
    return { ...nothing, applied: true };
  }
}
