import { emitKeypressEvents } from "node:readline";
import { CommandFailure } from "../exit-code.ts";
import type { Key } from "../keys.ts";
import { styled, type Terminal } from "../terminal.ts";
import type { Line, LineStyle, Size } from "./line.ts";

export interface FullScreen {
  size(): Size;
  show(lines: readonly Line[]): void;
  /** Gives the terminal back as it was. Doing it twice does no harm. */
  leave(): void;
}

// xterm's alternate screen keeps what was on the terminal before, and its scrollback.
const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const restOfLine = "\u001b[K";
const restOfScreen = "\u001b[J";

const styles = {
  title: "bold",
  problem: "red",
  chosen: "inverse",
  dim: "dim",
  // As the dashboard has them, as far as sixteen colours go.
  jobs: "blue",
  boot: "magenta",
  idle: "yellow",
  drained: "gray",
  kept: "cyan",
  failed: "red",
  ending: "white",
} as const satisfies Record<LineStyle, unknown>;

interface Handlers {
  readonly onKey: (key: Key) => void;
  readonly onResize: () => void;
  readonly isColoured: boolean;
}

/** Throws CommandFailure, before writing anything, when the output is not a terminal. */
export function refuseWithoutScreen({ stdin, stdout }: Terminal, kind = process.env.TERM): void {
  if (stdin.isTTY === true && stdout.isTTY === true && kind !== "dumb") return;
  const why = kind === "dumb" ? 'TERM is "dumb"' : "input or output is not a terminal";
  throw new CommandFailure(
    `Cannot open the live view: ${why}`,
    'Use "ccscale status --watch" for a page that repeats, or "ccscale status --format json" in a script.',
  );
}

/** Takes the terminal over until `leave`, which also runs when the process ends some other way. */
export function openFullScreen(
  { stdin, stdout }: Terminal,
  { onKey, onResize, isColoured }: Handlers,
): FullScreen {
  const pressed = (_text: string | undefined, key: Key) => onKey(key);
  const wasRaw = stdin.isRaw === true;
  let isOpen = true;
  const screen: FullScreen = {
    // A pseudo-terminal without a size reports 0.
    size: () => ({ width: stdout.columns || 80, height: stdout.rows || 24 }),
    show(lines) {
      if (!isOpen) return;
      const drawn = ({ text, style }: Pick<Line, "text" | "style">) =>
        style === undefined || !isColoured ? text : styled(stdout, styles[style], text);
      const texts = lines.map((line) => (line.runs ?? [line]).map(drawn).join(""));
      stdout.write(`${home}${texts.map((text) => text + restOfLine).join("\r\n")}${restOfScreen}`);
    },
    leave() {
      if (!isOpen) return;
      isOpen = false;
      process.off("exit", screen.leave);
      stdin.off("keypress", pressed);
      stdout.off("resize", onResize);
      stdin.setRawMode?.(wasRaw);
      stdin.pause();
      stdout.write(leave);
    },
  };
  process.once("exit", screen.leave);
  emitKeypressEvents(stdin);
  stdin.on("keypress", pressed);
  stdout.on("resize", onResize);
  stdin.setRawMode?.(true);
  stdin.resume();
  stdout.write(enter);
  return screen;
}
