import { Argument, Command, Option } from "commander";
import { duration } from "../../../shared/text/durations.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { reportOption } from "../output/output-options.ts";
import type { Format } from "../output/output-settings.ts";
import { prettyJson } from "../output/print.ts";
import { type Page, pageOn } from "../output/report.ts";
import { readJson } from "../read-text.ts";
import type { Terminal } from "../terminal.ts";
import { lengthOption } from "../time-values.ts";
import { brokenNow, outageWords } from "./broken.ts";
import { change, labOptions } from "./lab-options.ts";
import { connectPanel, type PanelFlags } from "./panel.ts";
import type { PanelCluster } from "./panel-state.ts";

export function statusCommand(terminal: Terminal): Command {
  return labOptions(new Command("status").description("Shows what is broken now, and how to put it back."))
    .addOption(reportOption())
    .action(async (flags: PanelFlags & { readonly format?: Format }) => {
      const panel = await connectPanel(flags);
      const { server, cluster } = await panel.read();
      if (flags.format === "json") {
        const { simulator: _, clusters: _others, ...rest } = server;
        terminal.stdout.write(prettyJson({ ...rest, cluster }));
        return;
      }
      const page = pageOn(terminal);
      page.facts([
        ["cluster", cluster.name],
        ["simulated time", server.speed === null ? null : `${server.speed} times as fast`],
        ["node arrays", cluster.nodeArrays.map(({ name }) => name).join(", ")],
        ["nodes", String(cluster.nodes.length)],
        ["scheduler", schedulerWords(cluster)],
      ]);
      page.title("Broken now");
      const broken = brokenNow(server, cluster);
      page.bullets(
        broken.length === 0 ? ["Nothing: all is as it was when the environment started."] : broken,
      );
      if (broken.length > 0) page.line('"ccscale lab reset" puts everything back.');
    });
}

/** A scheduler whose last report is older does not run. */
const livelySeconds = 10;

function schedulerWords({ scheduler: { report, agoSeconds } }: PanelCluster): string {
  if (report === null || agoSeconds === null || agoSeconds > livelySeconds)
    return "none runs on this cluster";
  const { waiting, running, done } = report.progress;
  return `${report.source}: ${waiting} tasks wait, ${running} run, ${done} are done`;
}

interface OutageFlags extends PanelFlags {
  readonly for: number;
  readonly delay: number;
  readonly off?: true;
}

export function outageCommand(terminal: Terminal): Command {
  const kinds = ["unavailable", "login", "slow"] as const;
  return labOptions(
    new Command("outage")
      .alias("down")
      .description("CycleCloud answers 503 for a time, refuses the login, or is slow. Its nodes go on.")
      .addArgument(new Argument("[kind]", "how it fails").choices(kinds).default("unavailable"))
      .addOption(
        new Option("--for <length>", "how long, in real time").argParser(lengthOption).default(60, "1m"),
      )
      .addOption(
        new Option("--delay <length>", "with slow: what every answer takes")
          .argParser(lengthOption)
          .default(10, "10s"),
      )
      .option("--off", "takes it back"),
  ).action((kind: (typeof kinds)[number], flags: OutageFlags) =>
    change(terminal, flags, async (panel) => {
      if (flags.off === true) {
        await panel.tell("outage", { seconds: 0 });
        return { done: "CycleCloud answers again." };
      }
      await panel.tell("outage", { kind, seconds: flags.for, delaySeconds: flags.delay });
      const words = outageWords({ kind, delaySeconds: flags.delay });
      return { done: `CycleCloud ${words} for ${duration(flags.for)}.`, back: "outage --off" };
    }),
  );
}

export function silenceCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("silence")
      .description(
        "Stops the agent of the simulated scheduler: it posts nothing and takes no events, and its jobs go on.",
      )
      .option("--off", 'starts it again, as "systemctl start ccscale-agent" does on a scheduler host'),
  ).action((flags: PanelFlags & { readonly off?: true }) =>
    change(terminal, flags, async (panel, cluster) => {
      needsScheduler(cluster);
      await panel.tell("silence", { cluster: panel.cluster, on: flags.off !== true });
      return flags.off === true
        ? { done: "The agent posts again." }
        : { done: "The agent has stopped: it posts nothing.", back: "silence --off" };
    }),
  );
}

export function submitCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("submit")
      .description("Gives jobs to the simulated scheduler, which runs them on nodes that are up.")
      .argument("<file>", 'a JSON list as of "npm start -- --jobs": [{"name": "a", "runSeconds": 600}]'),
  ).action((file: string, flags: PanelFlags) =>
    change(terminal, flags, async (panel, cluster) => {
      needsScheduler(cluster);
      const next = 'Expected a JSON list of jobs: [{"name": "a", "runSeconds": 600}].';
      const jobs = await readJson(file, next);
      await panel.tell("submit", { cluster: panel.cluster, jobs });
      return { done: 'The scheduler has them. "ccscale lab queue" shows how far they are.' };
    }),
  );
}

export function cancelCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("cancel")
      .description("Takes jobs from the simulated scheduler, those that run too.")
      .argument("<names...>", 'names of jobs; "sweep-*" means all that begin so'),
  ).action((names: readonly string[], flags: PanelFlags) =>
    change(terminal, flags, async (panel, cluster) => {
      needsScheduler(cluster);
      await panel.tell("cancel", { cluster: panel.cluster, names });
      return { done: `Canceled: ${names.map(printable).join(", ")}.` };
    }),
  );
}

export function queueCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("queue").description(
      "Shows the simulated scheduler's own queue, as squeue would: what its users see, whether or not the service knows.",
    ),
  ).action(async (flags: PanelFlags) => {
    const panel = await connectPanel(flags);
    const { cluster } = await panel.read();
    needsScheduler(cluster);
    queueOn(pageOn(terminal), cluster);
  });
}

/** The jobs that were submitted through the lab; of the others how many there are. */
function queueOn(page: Page, { scheduler: { report } }: PanelCluster): void {
  const jobs = report?.jobs ?? [];
  if (jobs.length > 0)
    page.table(
      ["JOB", "WAITING", "RUNNING", "DONE", "LOST"],
      jobs.map(({ name, waiting, running, done, lost }) => [name, waiting, running, done, lost]),
    );
  if (report === null) return;
  if (jobs.length > 0) page.line("");
  const { waiting, running, done } = report.progress;
  page.line(`In all ${waiting} tasks wait, ${running} run, ${done} are done.`);
}

export function resetCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("reset").description(
      "Puts everything back, of all clusters or the named one: weather, limits, quotas, sizes, the server and the scheduler. Jobs of the lab are canceled; nodes that failed stay failed.",
    ),
  ).action(async (flags: PanelFlags) => {
    const panel = await connectPanel(flags);
    await panel.tell("reset", flags.cluster === undefined ? {} : { cluster: panel.cluster });
    const { server, cluster } = await panel.read();
    const left = brokenNow(server, cluster);
    const page = pageOn(terminal);
    page.line("Everything is as it was when the environment started.");
    if (left.length > 0) page.line(`But for: ${left.join(" ")} Reset again when their nodes are gone.`);
    const failed = cluster.nodes.filter(({ status }) => status === "Failed").length;
    if (failed > 0)
      page.line(
        `${counted(failed, "nodes")} still Failed: "ccscale retry-failed" or "ccscale delete-nodes".`,
      );
  });
}

/** Throws CommandFailure where no simulated scheduler runs. */
export function needsScheduler({ name, scheduler: { report, agoSeconds } }: PanelCluster): void {
  if (report !== null && agoSeconds !== null && agoSeconds <= livelySeconds) return;
  throw new CommandFailure(
    `No simulated scheduler runs on cluster "${name}"`,
    '"npm start" runs one; "npm run demo" ends it with its workload.',
  );
}
