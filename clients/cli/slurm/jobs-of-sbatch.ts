import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { messageOf } from "../../../shared/errors/errors.ts";
import { splitWords } from "../../../shared/text/shell-word.ts";
import { printable } from "../../../shared/text/text.ts";
import type { Answers, Context, Driver, Job } from "../../agent/drivers/driver.ts";
import { slurm } from "../../agent/drivers/slurm/slurm.ts";
import { nodeList } from "../../agent/drivers/slurm/slurm-records.ts";
import { type SbatchOptions, submittedRecord } from "../../agent/drivers/slurm/submitted.ts";
import { execute } from "../../agent/execute.ts";
import { collect } from "../../agent/pass.ts";
import { CommandFailure } from "../exit-code.ts";
import { agentSettings } from "./agent-settings.ts";
import { readSbatch, wordsOfScript } from "./sbatch-options.ts";

const commandSeconds = 60;
/** Jobs that wait are not read: the one that is asked about is all there is. */
const ofTheQueue = new Set(["squeue", "switches"]);

/** The jobs that the agent would post for what sbatch is asked for, by its own driver and the controller that is here. */
export async function jobsOfSbatch(text: string, agent: string | undefined): Promise<readonly Job[]> {
  const options = await optionsIn(text);
  const { section } = await agentSettings(agent);
  const configured = slurm.configure(section);
  if (!configured.ok)
    throw new CommandFailure(
      `Cannot use "${agent}": ${configured.problems.join("; ")}`,
      "See docs/slurm.md.",
    );
  const context = { nowSeconds: Date.now() / 1000, draining: new Map(), memory: {} };
  const driver = submitting(configured.driver, options, userInfo().username);
  const reading = await collect(
    driver,
    () => context,
    (read) => {
      if (read.kind === "command") return execute(read, commandSeconds);
      throw new RangeError(`Cannot read ${read.kind} of Slurm`);
    },
  );
  if (!reading.known)
    throw new CommandFailure(
      `Cannot ask Slurm what this job would take: ${printable(reading.reason)}`,
      "Run it where scontrol works, or describe the job with --job.",
    );
  if (reading.jobs.length > 0) return reading.jobs;
  const why = reading.setAside.map(({ reason }) => reason).join("; ");
  throw new CommandFailure(
    `No nodes would be planned for this job: ${printable(why || "its partition is not planned for, or a limit of Slurm holds it")}`,
    "See docs/slurm.md for what is planned.",
  );
}

/** The driver, in front of a queue in which this job alone waits. */
export function submitting(driver: Driver, options: SbatchOptions, user: string): Driver {
  return {
    ...driver,
    reads: (context) => driver.reads(context).map((step) => step.filter(({ name }) => !ofTheQueue.has(name))),
    interpret: (answers: Answers, context: Context) => {
      const list = nodeList();
      const records = list.in(answers.scontrol) ?? list.in(answers.sinfo) ?? [];
      const nodes = records.flatMap((each) => (each.ok ? each.record : each.rest) ?? []);
      const record = submittedRecord(options, { answers, nodes, user, nowSeconds: context.nowSeconds });
      if (record === undefined)
        return { known: false, reason: "no partition is named, and there is no default one" };
      const squeue = { text: JSON.stringify({ jobs: [record] }), exitCode: 0 };
      return driver.interpret({ ...answers, squeue }, context);
    },
  };
}

async function optionsIn(text: string): Promise<SbatchOptions> {
  const [first, ...rest] = splitWords(text) ?? [];
  const words = first === "sbatch" ? rest : first === undefined ? [] : [first, ...rest];
  const alone = readSbatch(words);
  const refuse = (problem: string) =>
    new CommandFailure(
      `Cannot read "${printable(text)}": ${printable(problem)}`,
      "Leave the option out, or describe the job with --job.",
    );
  if (first === undefined)
    throw refuse("expected options as sbatch takes them, such as '-p htc -n 64 -t 4:00:00'");
  if (!alone.ok) throw refuse(alone.problem);
  if (alone.script === undefined) return alone.options;
  const script = await readFile(alone.script, "utf8").catch((error: unknown) => {
    throw refuse(messageOf(error));
  });
  const own = wordsOfScript(script);
  if (own === undefined)
    throw refuse(`a quotation mark in a line #SBATCH of "${alone.script}" is not closed`);
  const whole = readSbatch([...own, ...words]);
  if (!whole.ok) throw refuse(whole.problem);
  return whole.options;
}
