import { emitKeypressEvents } from "node:readline";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Option } from "commander";
import { duration } from "../../shared/text/durations.ts";
import { CommandFailure } from "./exit-code.ts";
import { type Key, moves } from "./keys.ts";
import { type List, type OutputFlags, printList } from "./output/output-options.ts";
import type { Format, OutputSettings } from "./output/output-settings.ts";
import { prettyJson } from "./output/print.ts";
import { type Page, pageOn } from "./output/report.ts";
import { momentWriter, type Times } from "./output/times.ts";
import type { SelectionFlags } from "./selection.ts";
import { reach } from "./service/reach.ts";
import type { Service } from "./service/service.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "./service/service-options.ts";
import type { Output, Terminal } from "./terminal.ts";
import { secondsOption } from "./time-values.ts";
import { refuseUnknownNames } from "./unknown-names.ts";

export interface LookFlags extends ServiceFlags, WatchFlags, OutputFlags {}

export interface Looking {
  readonly terminal: Terminal;
  readonly service: Service;
  readonly settings: OutputSettings;
  /** How to print, as the options say, or the configuration, which is known after the first answer. */
  readonly format: () => Format;
  /** Writes moments of a list: `usual`, unless the options say otherwise. */
  readonly moments: (usual: Times, nowSeconds: number) => (seconds: number) => string;
  readonly list: (list: List) => void;
  /** What was answered, as JSON or in words. */
  readonly report: (answer: unknown, inWords: (page: Page) => void) => void;
}

export function lookOptions(command: Command): Command {
  return serviceOrFilesOptions(command).addOption(watchOption());
}

/** Shows something of a cluster, again and again with `--watch`. Throws CommandFailure for selected names that are not there. */
export async function look(
  terminal: Terminal,
  flags: LookFlags & SelectionFlags,
  show: (looking: Looking) => Promise<void>,
  { namesExist = true }: { readonly namesExist?: boolean } = {},
): Promise<void> {
  const { service, settings } = await reach(flags);
  await watching(terminal, flags, async (screen) => {
    const format = () => flags.format ?? settings.format ?? "table";
    await show({
      terminal: screen,
      service,
      settings,
      format,
      moments: (usual, nowSeconds) => momentWriter({ flags, settings }, { usual, nowSeconds }),
      list: (list) => printList(screen, list, { flags, settings }),
      report: (answer, inWords) => {
        if (format() === "json") screen.stdout.write(prettyJson(answer));
        else inWords(pageOn(screen));
      },
    });
    if (namesExist) await refuseUnknownNames(service, flags);
  });
}

export interface WatchFlags {
  /** Seconds; true: the default. */
  readonly watch?: number | true;
}

const usualSeconds = 5;
const shortestSeconds = 1;

function watchOption(): Option {
  return new Option("--watch [length]", `repeats it, every ${duration(usualSeconds)} by default`).argParser(
    secondsOption(shortestSeconds),
  );
}

/**
 * Does `show` once, or until Ctrl-C (or `signal`) when it is to be watched: in place on a screen, one after the other
 * elsewhere. A page that looks like the last one is not written again. While watching, a failure is shown
 * as a page and watching goes on; otherwise it is thrown.
 */
export async function watching(
  terminal: Terminal,
  { watch, format }: WatchFlags & Pick<OutputFlags, "format">,
  show: (terminal: Terminal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  if (watch === undefined) return show(terminal);
  const everySeconds = watch === true ? usualSeconds : watch;
  const print = await screenOf(terminal, format === "jsonl" ? "" : "\n");
  let shown: string | undefined;
  let from = 0;
  const ended = new AbortController();
  const until = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const release = keysOf(terminal, (key) => {
    if (key.name === "q" || (key.ctrl === true && key.name === "c")) return ended.abort();
    const rows = Math.max(1, (terminal.stdout.rows ?? usualRows) - 2);
    const lines = (shown ?? "").trimEnd().split("\n").length;
    from = Math.min(Math.max(0, from + (moves(key, rows) ?? 0)), Math.max(0, lines - rows));
    if (shown !== undefined) print(shown, from);
  });
  try {
    while (!until.aborted) {
      const page = await pageOf(terminal, show);
      if (page !== shown) print(page, from);
      shown = page;
      await sleep(everySeconds * 1000, undefined, { signal: until }).catch(() => undefined);
    }
  } finally {
    release();
  }
}

const usualRows = 24;

/** Keys of a person at a screen, until the answer is called; elsewhere input is left alone. */
function keysOf({ stdin, stdout }: Terminal, press: (key: Key) => void): () => void {
  if (stdout.isTTY !== true || stdin.isTTY !== true || stdin.setRawMode === undefined) return () => undefined;
  const listen = (_: unknown, key: Key) => press(key);
  emitKeypressEvents(stdin);
  stdin.on("keypress", listen);
  stdin.setRawMode(true);
  stdin.resume();
  return () => {
    stdin.off("keypress", listen);
    stdin.setRawMode?.(false);
    stdin.pause();
  };
}

async function pageOf(terminal: Terminal, show: (terminal: Terminal) => Promise<void>): Promise<string> {
  const page = captured(terminal);
  try {
    await show(page.terminal);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    page.terminal.stdout.write(`error: ${error.message}\n${error.next}\n`);
  }
  return page.text();
}

/** What prints a page; `gap` comes after each where they do not take each other's place. */
async function screenOf({ stdout }: Terminal, gap: string): Promise<(page: string, from: number) => void> {
  if (stdout.isTTY !== true) return (page) => stdout.write(`${page}${gap}`);
  // `defaultWidth` and such apply to streams that do not know their size; this one does.
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(stdout as unknown as NodeJS.WriteStream, { showCursor: true });
  return (page, from) => update(partOf(page, { from, rows: stdout.rows ?? usualRows }));
}

/** As much of a page as the screen holds: problems come first, and log-update would show the end. */
function partOf(page: string, { from, rows }: { readonly from: number; readonly rows: number }): string {
  const lines = page.trimEnd().split("\n");
  // Its last row is for the cursor.
  const room = Math.max(2, rows - 1);
  if (lines.length <= room) return page.trimEnd();
  const shown = lines.slice(from, from + room - 1);
  const below = lines.length - from - shown.length;
  const where = below > 0 ? `… ${below} more lines: space` : "… the end";
  return [...shown, `${where}${from > 0 ? ", Page Up for what is above" : ""}`].join("\n");
}

/** A terminal that keeps what is written to it, out and error in their order, and looks as wide as the real one. */
export function captured(terminal: Terminal): { readonly terminal: Terminal; readonly text: () => string } {
  const chunks: string[] = [];
  const keep = (output: Output): Output => {
    const kept = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        chunks.push(chunk.toString());
        done();
      },
    });
    return Object.assign(kept, {
      ...(output.isTTY !== undefined && { isTTY: output.isTTY }),
      ...(output.columns !== undefined && { columns: output.columns }),
      ...(output.getColorDepth !== undefined && { getColorDepth: () => output.getColorDepth?.() ?? 1 }),
    });
  };
  return {
    terminal: { stdin: terminal.stdin, stdout: keep(terminal.stdout), stderr: keep(terminal.stderr) },
    text: () => chunks.join(""),
  };
}
