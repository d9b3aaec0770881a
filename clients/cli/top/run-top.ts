import { CommandFailure } from "../exit-code.ts";
import type { Key } from "../keys.ts";
import type { Terminal } from "../terminal.ts";
import { drawTop, pageOf } from "./draw-top.ts";
import { openFullScreen } from "./full-screen.ts";
import type { Size } from "./line.ts";
import { press, type Wish } from "./top-keys.ts";
import { type Drainable, openedOn, type TopData, type TopState } from "./top-state.ts";

/** What the view asks the service for. Each throws CommandFailure with what went wrong. */
export interface TopCalls {
  read(): Promise<TopData>;
  explain(job: string, source: string | undefined, width: number): Promise<readonly string[]>;
  /** `would`: whether there is anything to do. */
  previewDrain(node: Drainable): Promise<{ readonly would: boolean; readonly lines: readonly string[] }>;
  /** The outcome in a sentence. */
  drain(node: Drainable): Promise<string>;
}

export interface TopOptions {
  readonly everySeconds: number;
  readonly isColoured: boolean;
  /** Ends the view, as a signal to the process does. */
  readonly signal: AbortSignal;
  /** Calls once after so many seconds; the result cancels that. */
  readonly after: (seconds: number, run: () => void) => () => void;
}

/**
 * The live view, until q, Ctrl-C or `signal`. The first answer comes before the terminal is taken over: a wrong address or key is a
 * failure as of any other command. Later ones show above the keys, and the view goes on with what it has.
 */
export async function runTop(terminal: Terminal, calls: TopCalls, options: TopOptions): Promise<void> {
  const { everySeconds, isColoured, signal, after } = options;
  let state = openedOn(await calls.read());
  if (signal.aborted) return;
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  let cancel = () => {};
  let isReading = false;

  const draw = () => screen.show(drawTop(state, screen.size()));
  const change = (changed: Partial<TopState>) => {
    state = { ...state, ...changed };
    draw();
  };
  /** What goes wrong at the service is shown; anything else is a bug and ends the view. */
  const attempt = (work: () => Promise<void>, onFailure: (words: string) => void) =>
    work().catch((error) => {
      if (error instanceof CommandFailure)
        onFailure(`${error.message} ${error.next}`.replaceAll(/\s+/g, " "));
      else fail(error);
    });
  const refresh = async () => {
    if (isReading) return;
    isReading = true;
    cancel();
    await attempt(
      async () => change({ data: await calls.read(), trouble: undefined }),
      (trouble) => change({ trouble }),
    );
    isReading = false;
    if (!signal.aborted) cancel = after(everySeconds, () => void refresh());
  };
  const fulfil = (wish: Wish): void => {
    if (wish.kind === "quit") end();
    else if (wish.kind === "refresh") void refresh();
    else void ask(wish);
  };
  const ask = async (wish: Asking): Promise<void> => {
    await attempt(
      async () => change(await answerTo(wish, calls, screen.size())),
      (note) => change({ note }),
    );
    if (wish.kind === "drain") await refresh();
  };

  const screen = openFullScreen(terminal, {
    isColoured,
    onResize: draw,
    onKey(key: Key) {
      const pressed = press(state, key, pageOf(screen.size()));
      change(pressed.state);
      if (pressed.wish !== undefined) fulfil(pressed.wish);
    },
  });
  signal.addEventListener("abort", () => end());
  // The keyboard went away, as when the window is closed.
  terminal.stdin.once("end", end);
  try {
    draw();
    cancel = after(everySeconds, () => void refresh());
    await ended;
  } finally {
    cancel();
    // A refresh that is still on its way may not set the next.
    isReading = true;
    terminal.stdin.off("end", end);
    screen.leave();
  }
}

type Asking = Exclude<Wish, { readonly kind: "quit" | "refresh" }>;

async function answerTo(wish: Asking, calls: TopCalls, { width }: Size): Promise<Partial<TopState>> {
  switch (wish.kind) {
    case "explain": {
      const lines = await calls.explain(wish.job, wish.source, width);
      return { note: undefined, overlay: { title: `Job ${wish.job}`, lines, from: 0 } };
    }
    case "preview-drain": {
      const { name, nodeId } = wish;
      const { would, lines } = await calls.previewDrain({ name, nodeId });
      if (!would) return { note: lines.join(" ") };
      return { note: undefined, question: { name, nodeId, lines } };
    }
    case "drain":
      return { note: await calls.drain({ name: wish.name, nodeId: wish.nodeId }) };
  }
}
