import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { RunFigures } from "../../../shared/backtest/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { bestOfRuns } from "./best-of-runs.ts";
import type { Setting, Task } from "./one-run.ts";
import { reportPage } from "./report/page.ts";

export async function writeReport(
  terminal: Terminal,
  file: string,
  given: {
    readonly setting: Setting;
    readonly tasks: readonly Task[];
    readonly runs: readonly RunFigures[];
    readonly name: string;
    readonly suggestion: readonly string[] | undefined;
  },
): Promise<void> {
  const { setting, tasks, runs, name, suggestion } = given;
  const [task] = tasks;
  if (task === undefined || runs.length === 0) return;
  const page = await reportPage({
    workload: basename(name),
    runs,
    jobs: setting.workload.jobs,
    best: await bestOfRuns(setting, task, runs),
    ...(suggestion === undefined ? {} : { suggestion }),
  });
  try {
    await writeFile(file, page);
  } catch (error) {
    throw new CommandFailure(
      `Cannot write "${printable(file)}": ${messageOf(error)}`,
      "Name another file with --report.",
    );
  }
  terminal.stderr.write(`Wrote "${printable(file)}".\n`);
}
