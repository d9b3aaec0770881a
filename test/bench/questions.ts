/**
 * The questions of an operator's day, put to a busy cluster on this machine: 2,300 nodes with their troubles, 10,000 waiting jobs.
 * Prints each command, the first lines of its answer and how long it took as a whole process (the median of `--repeats`); fails
 * when an answer does not say what it must in its first lines, or takes longer than `--most` milliseconds. Run it from the build:
 * `npm run bench -- questions [--repeats 3] [--most 1000] [--markdown FILE] [--only WORDS] [--serve]`. `--serve` asks nothing, and
 * leaves the cluster running for looks by hand until Ctrl-C.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BusyStack, type Run, startBusyStack } from "./questions/busy-stack.ts";
import { type Question, questions } from "./questions/list.ts";

const { values } = parseArgs({
  options: {
    repeats: { type: "string", default: "3" },
    most: { type: "string", default: "1000" },
    markdown: { type: "string" },
    only: { type: "string" },
    serve: { type: "boolean", default: false },
  },
});
const mostMilliseconds = Number(values.most);
/** Lines of an answer that are shown, and how much of each. */
const shownLines = 4;
const shownColumns = 140;
const usualWithin = 12;

interface Asked {
  readonly question: Question;
  readonly milliseconds: number;
  readonly first: readonly string[];
  /** What the answer does not say or do as it should. */
  readonly wrong: readonly string[];
}

const folder = await mkdtemp(join(tmpdir(), "questions-"));
const startedAt = Date.now();
const tell = (step: string) =>
  process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s: ${step}\n`);
const stack = await startBusyStack(folder, tell);
try {
  if (values.serve) await serve(stack);
  else await askAll(stack);
} finally {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}

async function serve({ environment }: BusyStack): Promise<void> {
  process.stdout.write(`export CCSCALE_URL=${environment.functionsUrl} CCSCALE_CLUSTER=field\n`);
  await Promise.race(
    (["SIGINT", "SIGTERM"] as const).map((signal) => new Promise((end) => process.once(signal, end))),
  );
}

async function askAll(stack: BusyStack): Promise<void> {
  const asked: Asked[] = [];
  for (const question of questions) {
    if (values.only !== undefined && !lineOf(question).includes(values.only)) continue;
    const each = await ask(stack, question);
    asked.push(each);
    print(each);
  }
  if (values.markdown !== undefined) await writeFile(values.markdown, markdownOf(asked));
  const wrong = asked.filter((each) => each.wrong.length > 0);
  const slowest = Math.max(...asked.map(({ milliseconds }) => milliseconds));
  process.stdout.write(
    `\n${asked.length - wrong.length} of ${asked.length} answered as they should; slowest ${Math.round(slowest)} ms\n`,
  );
  if (wrong.length > 0) process.exitCode = 1;
}

async function ask(stack: BusyStack, question: Question): Promise<Asked> {
  const runs: Run[] = [];
  for (let index = 0; index < Number(values.repeats); index += 1)
    runs.push(await stack.ccscale(question.argv));
  const sorted = runs.map((run) => run.milliseconds).toSorted((a, b) => a - b);
  const milliseconds = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const [run] = runs;
  if (run === undefined) throw new Error("--repeats: expected 1 or more");
  const lines = `${run.stdout}${run.stderr}`.split("\n").filter((line) => line.trim() !== "");
  return {
    question,
    milliseconds,
    first: lines.slice(0, shownLines),
    wrong: wrongIn(question, { run, lines, milliseconds }),
  };
}

function wrongIn(
  { answer, within = usualWithin, code = 0 }: Question,
  {
    run,
    lines,
    milliseconds,
  }: { readonly run: Run; readonly lines: readonly string[]; readonly milliseconds: number },
): readonly string[] {
  const beginning = lines.slice(0, within).join("\n");
  return [
    ...(run.code === code ? [] : [`ended with ${run.code}, expected ${code}`]),
    ...answer
      .filter((part) => !part.test(beginning))
      .map((part) => `no ${part} in the first ${within} lines`),
    ...(milliseconds <= mostMilliseconds
      ? []
      : [`${Math.round(milliseconds)} ms, expected at most ${mostMilliseconds}`]),
  ];
}

function lineOf({ argv }: Question): string {
  return ["ccscale", ...argv.map((word) => (/^[\w./:%@-]+$/.test(word) ? word : `'${word}'`))].join(" ");
}

function print({ question, milliseconds, first, wrong }: Asked): void {
  const lines = first.map((line) => `    ${cut(line)}`);
  process.stdout.write(
    [
      "",
      question.ask,
      `  $ ${lineOf(question)}   (${Math.round(milliseconds)} ms)`,
      ...lines,
      ...wrong.map((each) => `  WRONG: ${each}`),
      "",
    ].join("\n"),
  );
}

function cut(line: string): string {
  return line.length <= shownColumns ? line : `${line.slice(0, shownColumns - 1)}…`;
}

function markdownOf(asked: readonly Asked[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  const rows = asked.map(
    ({ question, milliseconds, first }, index) =>
      `| ${index + 1} | ${cell(question.ask)} | \`${cell(lineOf(question))}\` | ${first.map((line) => `\`${cell(cut(line)).replaceAll("`", "'")}\``).join("<br>")} | ${Math.round(milliseconds)} |`,
  );
  return ["| | question | command | first lines | ms |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}
