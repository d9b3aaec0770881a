import { tmpdir } from "node:os";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { messageOf } from "../../shared/errors/errors.ts";
import { jsonOr } from "../../shared/json/json.ts";
import { counted, printableCut } from "../../shared/text/text.ts";
import type { Answers, ClusterParts, Command, SchedulerFile, SchedulerFiles } from "./drivers/driver.ts";
import {
  changesTo,
  type FileChange,
  inTrialFolder,
  linesIn,
  type PresentFiles,
  readPresent,
  usableAmong,
  writeChange,
} from "./scheduler-files.ts";

/** Node arrays and limits change seldom, and asking costs a call. */
const everySeconds = 60;

/** A pass does not wait longer for the service and the scheduler; what was begun goes on, and a later pass reports it. */
const longestSeconds = 20;

const keptStateSchema = z.object({
  /** Files were written, and the scheduler has not read them yet. */
  isOpen: z.boolean(),
  /** When files were last written or read by the scheduler; 0: never, as far as is known. */
  changedAtSeconds: z.number(),
});

/** What is remembered across restarts. */
export type KeptState = z.infer<typeof keptStateSchema>;

/** A text that cannot be used is of files that may not have been read: the scheduler reads them once more. */
export function readKeptState(text: string | undefined): KeptState {
  if (text === undefined) return { isOpen: false, changedAtSeconds: 0 };
  return keptStateSchema.safeParse(jsonOr(text)).data ?? { isOpen: true, changedAtSeconds: 0 };
}

export interface KeptFilesPorts {
  readonly files: SchedulerFiles;
  readonly cluster: () => Promise<ClusterParts>;
  readonly run: (command: Command) => Promise<{ readonly text: string; readonly exitCode: number }>;
  readonly load: () => Promise<KeptState>;
  readonly save: (state: KeptState) => Promise<void>;
  /** Ends when a pass has waited long enough; the usual wait when it is left out. */
  readonly patience?: (signal: AbortSignal) => Promise<unknown>;
}

/** What became of the files in one pass. */
export interface FilesReport {
  readonly written: readonly string[];
  /** Of the files that were written, lines that came or went. */
  readonly changedLines: number;
  /** Files that differ and wait for more changes: when they are written. Undefined: none. */
  readonly waitsUntilSeconds?: number | undefined;
  /** Somebody else's files, which stay as they are. */
  readonly foreign: readonly string[];
  /** Whether the scheduler has read them. */
  readonly applied: boolean;
  /** Why the files stay as they are, or what an administrator has to do before the scheduler can read them. */
  readonly refused: string | undefined;
  readonly notes: readonly string[];
}

/** A message takes no longer one. */
const longestNotice = 250;
const renewalShownSeconds = 3600;

const nothing: FilesReport = {
  written: [],
  changedLines: 0,
  foreign: [],
  applied: false,
  refused: undefined,
  notes: [],
};

/** Files of the scheduler that follow from the cluster: written when they differ, and read by the scheduler then. */
export class KeptFiles {
  readonly #ports: KeptFilesPorts;
  #nextSeconds = 0;
  #lastStanding = standingOf(nothing);
  #running: Promise<FilesReport> | undefined;
  /** A run for which a pass waited in vain. */
  #late: Promise<FilesReport> | undefined;
  #lastReport: FilesReport = nothing;
  #renewal: { readonly sentence: string; readonly atSeconds: number } | undefined;

  constructor(ports: KeptFilesPorts) {
    this.#ports = ports;
  }

  /**
   * Undefined: nothing new. Throws when the service, a file or the scheduler refuses, and when they take too long; the next
   * pass tries again, or goes on with what this one began.
   */
  async keep(nowSeconds: number): Promise<FilesReport | undefined> {
    if (this.#running === undefined) {
      if (nowSeconds < this.#nextSeconds) return undefined;
      this.#nextSeconds = nowSeconds + everySeconds;
      this.#running = this.#look(nowSeconds);
    }
    const report = await this.#inTime(this.#running);
    this.#lastReport = report;
    if (report.written.length > 0 || report.applied)
      this.#renewal = { sentence: renewalOf(report, nowSeconds), atSeconds: nowSeconds };
    const standing = standingOf(report);
    const isNews = report.written.length > 0 || report.applied || standing !== this.#lastStanding;
    this.#lastStanding = standing;
    return isNews ? report : undefined;
  }

  /** For the status: what was renewed in the last hour, and what waits or is refused for as long as that lasts. */
  notices(nowSeconds: number): readonly string[] {
    const { refused, foreign, waitsUntilSeconds } = this.#lastReport;
    const isNew = this.#renewal !== undefined && nowSeconds - this.#renewal.atSeconds < renewalShownSeconds;
    return [
      ...(refused === undefined ? [] : [`the scheduler's files wait: ${refused}.`]),
      ...(foreign.length === 0
        ? []
        : [`${foreign.join(", ")} was written by somebody else and is left alone.`]),
      ...(waitsUntilSeconds === undefined
        ? []
        : [`changes of the scheduler's files are gathered until ${timeOf(waitsUntilSeconds)}.`]),
      ...(isNew ? [this.#renewal?.sentence ?? ""] : []),
    ].map((sentence) => printableCut(sentence, longestNotice));
  }

  async #inTime(running: Promise<FilesReport>): Promise<FilesReport> {
    const usual = this.#ports.patience ?? ((signal) => sleep(longestSeconds * 1000, undefined, { signal }));
    // One pass has waited for it already: the next ones only look.
    const patience = this.#late === running ? () => Promise.resolve() : usual;
    const over = new AbortController();
    const late = patience(over.signal).catch(() => undefined);
    try {
      const first = await Promise.race([running, late.then(() => "late" as const)]);
      if (first !== "late") {
        this.#running = undefined;
        return first;
      }
    } catch (error) {
      this.#running = undefined;
      throw error;
    } finally {
      over.abort();
    }
    this.#late = running;
    // Whoever asks next gets its end; nobody may be waiting when it fails.
    running.catch(() => undefined);
    throw new Error(
      "Cannot keep the scheduler's files: the service, or the scheduler, has not answered in time",
    );
  }

  async #look(nowSeconds: number): Promise<FilesReport> {
    const { files, cluster, load } = this.#ports;
    const present = await readPresent(files);
    const usable = usableAmong(present, files);
    const drawnUp = files.drawUp(await cluster(), usable);
    if ("refused" in drawnUp) return { ...nothing, refused: drawnUp.refused };
    const changes = changesTo(drawnUp.files, present, files);
    const foreign = changes.filter(({ isForeign }) => isForeign).map(({ path }) => path);
    const { notes } = drawnUp;
    const { isOpen, changedAtSeconds } = await load();
    // One file alone could name what another does not have.
    const due = foreign.length === 0 ? changes : [];
    const waitsUntilSeconds = changedAtSeconds + files.gatherSeconds;
    // Of an open set a part may be missing, because a write failed: the rest does not wait.
    const canWait = drawnUp.canWait && !isOpen && nowSeconds < waitsUntilSeconds;
    if (due.length > 0 && !canWait)
      return { ...(await this.#write(drawnUp.files, due, { present, nowSeconds })), foreign, notes };
    const applied =
      isOpen && changes.length === 0 ? await this.#apply(usable, await this.#answers(), nowSeconds) : {};
    const waits = due.length > 0 ? { waitsUntilSeconds } : {};
    return { ...nothing, ...applied, ...waits, foreign, notes };
  }

  /** Not while a node that would go has a job: the scheduler would lose it, whoever has it read the files. */
  async #write(
    files: readonly SchedulerFile[],
    changes: readonly FileChange[],
    { present, nowSeconds }: { readonly present: PresentFiles; readonly nowSeconds: number },
  ): Promise<FilesReport> {
    const isFirst = changes.every(({ before }) => before === undefined);
    // The controller may not have started yet: what it includes is not there.
    const answers = await this.#answers().catch((error: unknown) => {
      if (isFirst) return undefined;
      throw error;
    });
    const refused = answers === undefined ? undefined : this.#ports.files.whyNotNow(files, answers);
    if (refused !== undefined) return { ...nothing, refused };
    const unreadable = await whyUnreadable(this.#ports, changes, present);
    if (unreadable !== undefined) return { ...nothing, refused: unreadable };
    await this.#ports.save({ isOpen: true, changedAtSeconds: nowSeconds });
    for (const change of changes) await writeChange(change);
    const applied = await this.#apply(files, answers ?? (await this.#answers()), nowSeconds);
    const changedLines = changes.map(linesIn).reduce((sum, each) => sum + each, 0);
    return { ...nothing, ...applied, written: changes.map(({ path }) => path), changedLines };
  }

  async #apply(files: readonly SchedulerFile[], answers: Answers, changedAtSeconds: number) {
    const decided = this.#ports.files.apply?.(files, answers);
    if (decided !== undefined && "refused" in decided) return { refused: decided.refused };
    if (decided !== undefined) await this.#ports.run(decided.command);
    await this.#ports.save({ isOpen: false, changedAtSeconds });
    return { applied: decided !== undefined };
  }

  async #answers(): Promise<Answers> {
    const answers: Record<string, Answers[string]> = {};
    for (const read of this.#ports.files.reads) answers[read.name] = await this.#ports.run(read);
    return answers;
  }
}

interface Trial {
  readonly files: Pick<SchedulerFiles, "folder" | "tryOut" | "besides">;
  readonly run: (command: Command) => Promise<unknown>;
}

/** With files that cannot be read no command of the scheduler works any more, and its controller ends. */
export async function whyUnreadable(
  { files: { folder, tryOut, besides = [] }, run }: Trial,
  changes: readonly FileChange[],
  present: PresentFiles,
): Promise<string | undefined> {
  if (tryOut === undefined || besides.some((name) => present.get(name) === undefined)) return undefined;
  const tried = async (trial: string) => {
    try {
      await run(tryOut(trial));
      return undefined;
    } catch (error) {
      // The trial is gone when somebody reads this, and another name in each pass would be news each time.
      const [first] = messageOf(error)
        .replaceAll(trial, folder)
        .replace(/^.*: ended with \d+: /, "")
        .split("\n");
      return `the scheduler cannot read the new ones: ${first}`;
    }
  };
  try {
    return await inTrialFolder(folder, changes, tried);
  } catch (error) {
    // Without the call and the path that follow, which has the trial's name.
    const [why] = messageOf(error).split(", ");
    return `a copy of ${folder} in ${tmpdir()} is needed to try the new ones, and cannot be made: ${why}`;
  }
}

function renewalOf({ written, changedLines, applied, refused }: FilesReport, nowSeconds: number): string {
  const what =
    written.length === 0
      ? "the scheduler's files were written before"
      : `${written.map((path) => basename(path)).join(", ")} ${written.length === 1 ? "was" : "were"} renewed at ${timeOf(nowSeconds)}, ${counted(changedLines, "lines")} changed`;
  if (refused !== undefined) return `${what}; the scheduler has not read that yet.`;
  return `${what}; ${applied ? "the scheduler has read that" : "an administrator has the scheduler read that"}.`;
}

function timeOf(seconds: number): string {
  return new Date(Math.floor(seconds) * 1000).toISOString().replace(".000Z", "Z");
}

/** What is told once, and not in each pass. */
function standingOf({ foreign, refused, waitsUntilSeconds }: FilesReport): string {
  return JSON.stringify([foreign, refused, waitsUntilSeconds]);
}
