import { spawn } from "node:child_process";

/** Programs that show a text page by page, in the order in which they are tried. `PAGER` may have arguments. */
export function pagersOf(env: Readonly<Record<string, string | undefined>>): readonly (readonly string[])[] {
  const named = env.PAGER?.split(/\s+/).filter((word) => word !== "");
  // Set and empty, or cat: no pager is wanted.
  if (named !== undefined) return named.length === 0 || named[0] === "cat" ? [] : [named];
  return [["less"]];
}

/** Shows a text in the first of these programs that there is, without a shell, and waits. False: none could be started. */
export async function page(text: string, pagers: readonly (readonly string[])[]): Promise<boolean> {
  for (const [program = "", ...args] of pagers) if (await shownBy(program, args, text)) return true;
  return false;
}

function shownBy(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    // As git has it: less ends at once where the text fits the screen, and leaves it there.
    const child = spawn(program, args, {
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", ...process.env },
    });
    // Ctrl-C is the pager's: it ends a search there, and must not end this program under it.
    const ignore = () => {};
    process.on("SIGINT", ignore);
    const end = (isShown: boolean) => {
      process.off("SIGINT", ignore);
      resolve(isShown);
    };
    child.once("error", () => end(false));
    child.once("close", () => end(true));
    // The user quits before the end of the text.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
