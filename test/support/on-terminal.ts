import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import xterm from "@xterm/headless";
import { z } from "zod";

const helper = join(import.meta.dirname, "on-terminal.py");

const lineSchema = z.union([
  z.object({ shown: z.string() }),
  z.object({ code: z.number().nullable(), signal: z.number().nullable(), isAsBefore: z.boolean() }),
]);

/** How a program left its terminal. */
interface Left {
  readonly code: number | null;
  readonly signal: number | null;
  /** Whether the terminal echoes, waits for whole lines and so on as it did before. */
  readonly isAsBefore: boolean;
}

/** A program on a pseudo-terminal of the system, and the screen that somebody would see. */
export interface OnTerminal {
  type(text: string): void;
  resize(columns: number, rows: number): void;
  signal(name: "INT" | "TERM" | "HUP"): void;
  /** The lines of the screen now. */
  screen(): Promise<readonly string[]>;
  /** Whether the program has taken the whole screen. */
  isAlternate(): boolean;
  /** Everything that was written so far. */
  written(): string;
  readonly left: Promise<Left>;
  /** Ends the program, if it still runs. */
  stop(): void;
}

/** Runs a program with Python's pty, which has what Node.js lacks. */
export function onTerminal(
  python: string,
  command: readonly string[],
  options: {
    readonly columns: number;
    readonly rows: number;
    readonly env: Readonly<Record<string, string>>;
  },
): OnTerminal {
  const { columns, rows, env } = options;
  const shown = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const child = spawn(python, [helper, `${columns}`, `${rows}`, ...command], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let written = "";
  const left = new Promise<Left>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`Cannot run ${command.join(" ")} on a terminal: ${written}`)));
    createInterface({ input: child.stdout }).on("line", (text) => {
      const line = lineSchema.parse(JSON.parse(text));
      if ("shown" in line) {
        written += line.shown;
        shown.write(line.shown);
      } else resolve(line);
    });
  });
  // A program that is gone reads nothing more.
  child.stdin.on("error", () => undefined);
  const tell = (wish: object) => child.stdin.write(`${JSON.stringify(wish)}\n`);
  return {
    left,
    type: (text) => tell({ type: text }),
    resize: (width, height) => {
      shown.resize(width, height);
      tell({ resize: [width, height] });
    },
    signal: (name) => tell({ signal: name }),
    isAlternate: () => shown.buffer.active.type === "alternate",
    written: () => written,
    screen: async () => {
      await new Promise<void>((resolve) => shown.write("", resolve));
      const { active } = shown.buffer;
      return Array.from({ length: shown.rows }, (_, row) =>
        (active.getLine(active.baseY + row)?.translateToString(true, 0, shown.cols) ?? "").trimEnd(),
      );
    },
    stop: () => child.stdin.end(),
  };
}
