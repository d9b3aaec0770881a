import type { Command } from "commander";
import { keepAliveCommand, nodeActionCommand, nodeActions } from "./commands/node-actions.ts";
import type { Terminal } from "./terminal.ts";

export interface SeeAlso {
  readonly commands: readonly string[];
  /** Pages of docs, with a heading where one is meant. */
  readonly pages: readonly string[];
}

/** A command as the list of all commands shows it. Its own module is loaded when it is called: most need little of all there is. */
interface CommandRow {
  readonly name: string;
  /** A short line; the command's own help says more. */
  readonly summary: string;
  readonly seeAlso: SeeAlso;
  readonly load: (terminal: Terminal) => Promise<Command>;
}

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandRow[];
}

const aboutNodes: SeeAlso = {
  commands: ["nodes", "operations", "events"],
  pages: ["cli.md#act", "cli.md#select-nodes"],
};

/** Those on nodes that exist, as their table has them; "keep-alive on" and "off" are one command with two words. */
const onNodes: readonly CommandRow[] = nodeActions.flatMap(({ name, summary }) => {
  if (name === "keep-alive off") return [];
  if (name === "keep-alive on")
    return [
      {
        name: "keep-alive",
        summary: "Protects nodes from deletion (on), or ends that (off).",
        seeAlso: aboutNodes,
        load: keepAliveCommand,
      },
    ];
  return [{ name, summary, seeAlso: aboutNodes, load: (terminal) => nodeActionCommand(terminal, name) }];
});

function named(rows: Readonly<Record<string, Omit<CommandRow, "name">>>): readonly CommandRow[] {
  return Object.entries(rows).map(([name, row]) => ({ name, ...row }));
}

export const commandGroups: readonly CommandGroup[] = [
  {
    heading: "View:",
    commands: named({
      clusters: {
        summary: "Lists the clusters of the service.",
        seeAlso: { commands: ["status", "config"], pages: ["cli.md#find-the-service"] },
        load: async (terminal) => (await import("./commands/clusters.ts")).clustersCommand(terminal),
      },
      status: {
        summary: "Shows a cluster on one screen, problems first.",
        seeAlso: {
          commands: ["top", "events", "explain", "jobs"],
          pages: ["operate.md#questions-by-symptom"],
        },
        load: async (terminal) => (await import("./commands/status.ts")).statusCommand(terminal),
      },
      top: {
        summary: "Shows a cluster live on the whole terminal.",
        seeAlso: { commands: ["status", "explain"], pages: ["cli.md#watch-it-live"] },
        load: async (terminal) => (await import("./commands/top.ts")).topCommand(terminal),
      },
      nodes: {
        summary: "Lists nodes: jobs, idle times, failures; who keeps, drains or ignores them.",
        seeAlso: {
          commands: ["history", "drain", "delete-nodes", "columns"],
          pages: ["cli.md#select-nodes", "cli.md#choose-columns"],
        },
        load: async (terminal) => (await import("./commands/nodes.ts")).nodesCommand(terminal),
      },
      buckets: {
        summary: "Lists the sources of new nodes: the limit that binds, how boots went.",
        seeAlso: { commands: ["limits", "explain", "prices"], pages: ["concepts.md#buckets-and-limits"] },
        load: async (terminal) => (await import("./commands/buckets.ts")).bucketsCommand(terminal),
      },
      limits: {
        summary: "Lists every limit once, what binds first: used, left, what is next.",
        seeAlso: { commands: ["buckets", "explain"], pages: ["limits.md"] },
        load: async (terminal) => (await import("./commands/limits.ts")).limitsCommand(terminal),
      },
      prices: {
        summary: "Lists what nodes cost, and where each price comes from.",
        seeAlso: { commands: ["cost", "usage"], pages: ["prices.md"] },
        load: async (terminal) => (await import("./commands/prices.ts")).pricesCommand(terminal),
      },
      usage: {
        summary: "Shows core-hours and cost, as CycleCloud counts them.",
        seeAlso: { commands: ["cost"], pages: ["cost.md"] },
        load: async (terminal) => (await import("./commands/usage.ts")).usageCommand(terminal),
      },
      jobs: {
        summary: "Lists or counts jobs, and why they wait.",
        seeAlso: { commands: ["explain", "demand", "push"], pages: ["post-demand.md"] },
        load: async (terminal) => (await import("./commands/jobs.ts")).jobsCommand(terminal),
      },
      demand: {
        summary: "Shows what would be done and bought now. Sends nothing.",
        seeAlso: { commands: ["what-if", "plans", "explain"], pages: ["concepts.md#the-cycle"] },
        load: async (terminal) => (await import("./commands/demand.ts")).demandCommand(terminal),
      },
      cost: {
        summary: "Shows what nodes cost now and this month, and whom; the share of spot.",
        seeAlso: { commands: ["usage", "prices"], pages: ["cost.md"] },
        load: async (terminal) => (await import("./commands/cost.ts")).costCommand(terminal),
      },
      plans: {
        summary: "Lists plans, or shows what one decided and why; also of a past time.",
        seeAlso: { commands: ["replay", "events", "operations"], pages: ["concepts.md#the-cycle"] },
        load: async (terminal) => (await import("./commands/plans.ts")).plansCommand(terminal),
      },
      history: {
        summary: "Shows the history of a node, or the week of node arrays.",
        seeAlso: { commands: ["nodes", "events", "operations"], pages: ["concepts.md#the-life-of-a-node"] },
        load: async (terminal) => (await import("./commands/history.ts")).historyCommand(terminal),
      },
      events: {
        summary: "Lists what happened: plans, actions, nodes, drains, decisions, changes.",
        seeAlso: { commands: ["plans", "history", "operations"], pages: ["operate.md#logs"] },
        load: async (terminal) => (await import("./commands/events.ts")).eventsCommand(terminal),
      },
      operations: {
        summary: "Lists requests to CycleCloud and their outcome.",
        seeAlso: { commands: ["events", "plans"], pages: ["concepts.md#states-of-an-operation"] },
        load: async (terminal) => (await import("./commands/operations.ts")).operationsCommand(terminal),
      },
      rejects: {
        summary: "Lists, shows and replays rejected messages.",
        seeAlso: { commands: ["push", "jobs"], pages: ["cli.md#rejected-messages"] },
        load: async (terminal) => (await import("./commands/rejects.ts")).rejectsCommand(terminal),
      },
    }),
  },
  {
    heading: "Explain:",
    commands: named({
      explain: {
        summary: "Explains why a job waits, or why a target is not met.",
        seeAlso: { commands: ["jobs", "limits", "buckets", "what-if"], pages: ["operate.md#a-job-waits"] },
        load: async (terminal) => (await import("./commands/explain.ts")).explainCommand(terminal),
      },
      "validate-constraint": {
        summary: "Shows how constraints are understood, and what satisfies them.",
        seeAlso: { commands: ["explain", "what-if"], pages: ["constraints.md"] },
        load: async (terminal) =>
          (await import("./commands/validate-constraint.ts")).validateConstraintCommand(terminal),
      },
      "what-if": {
        summary: "Plans with other jobs or higher limits. Sends nothing.",
        seeAlso: { commands: ["demand", "explain", "config"], pages: ["constraints.md", "post-demand.md"] },
        load: async (terminal) => (await import("./commands/what-if.ts")).whatIfCommand(terminal),
      },
      quote: {
        summary: "Shows what a job would cost before it is submitted. Sends nothing.",
        seeAlso: { commands: ["what-if", "cost", "prices"], pages: ["cost.md#before-it-is-submitted"] },
        load: async (terminal) => (await import("./commands/quote.ts")).quoteCommand(terminal),
      },
    }),
  },
  {
    heading: "Act:",
    commands: [
      ...named({
        autoscale: {
          summary: "Sets how many nodes of an array there should be for a while.",
          seeAlso: { commands: ["create-nodes", "explain"], pages: ["targets.md"] },
          load: async (terminal) => (await import("./commands/autoscale.ts")).autoscaleCommand(terminal),
        },
        "create-nodes": {
          summary: "Creates nodes, all of them or none.",
          seeAlso: { commands: ["nodes", "delete-nodes", "what-if"], pages: ["cli.md#act"] },
          load: async (terminal) => (await import("./commands/create-nodes.ts")).createNodesCommand(terminal),
        },
      }),
      ...onNodes,
      ...named({
        push: {
          summary: "Posts a list of jobs as everything that a source wants.",
          seeAlso: { commands: ["jobs", "rejects", "agent"], pages: ["post-demand.md"] },
          load: async (terminal) => (await import("./commands/push.ts")).pushCommand(terminal),
        },
        pause: {
          summary: "Sends nothing more for a cluster; plans are still made and shown.",
          seeAlso: { commands: ["resume", "status"], pages: ["operate.md#nothing-happens"] },
          load: async (terminal) => (await import("./commands/pause.ts")).pauseCommand(terminal),
        },
        resume: {
          summary: "Resumes a paused cluster, or one whose login was refused.",
          seeAlso: { commands: ["pause", "status"], pages: ["operate.md#the-login-is-refused"] },
          load: async (terminal) => (await import("./commands/pause.ts")).resumeCommand(terminal),
        },
        "stop-rolling": {
          summary: "Ends a rolling drain.",
          seeAlso: { commands: ["drain", "status"], pages: ["operate.md#maintenance-of-many-nodes"] },
          load: async (terminal) => (await import("./commands/pause.ts")).stopRollingCommand(terminal),
        },
      }),
    ],
  },
  {
    heading: "Set up and support:",
    commands: named({
      doctor: {
        summary: "Checks from here whether the service and each cluster are set up and at work.",
        seeAlso: { commands: ["status", "config"], pages: ["deploy.md#then"] },
        load: async (terminal) => (await import("./commands/doctor.ts")).doctorCommand(terminal),
      },
      config: {
        summary: "Creates, checks, stores, shows, changes and rolls back the configuration of a cluster.",
        seeAlso: { commands: ["what-if", "events"], pages: ["configure.md"] },
        load: async (terminal) => (await import("./commands/config.ts")).configCommand(terminal),
      },
      schedules: {
        summary: "Shows what schedules keep and when, adds and removes them, and pauses them.",
        seeAlso: { commands: ["status", "config"], pages: ["targets.md#schedules"] },
        load: async (terminal) => (await import("./commands/schedules.ts")).schedulesCommand(terminal),
      },
      migrate: {
        summary: "Turns the settings of azslurm, azpbs or azge into ours, and compares what both decide.",
        seeAlso: { commands: ["config", "slurm"], pages: ["migrate-from-scalelib.md", "from-azslurm.md"] },
        load: async (terminal) => (await import("./commands/migrate.ts")).migrateCommand(terminal),
      },
      "support-archive": {
        summary: "Packs everything about a cluster into a zip, without secrets.",
        seeAlso: { commands: ["replay"], pages: ["operate.md#you-need-help"] },
        load: async (terminal) =>
          (await import("./commands/support-archive.ts")).supportArchiveCommand(terminal),
      },
    }),
  },
  {
    heading: "For assistants:",
    commands: named({
      mcp: {
        summary: "Answers an assistant in an editor or a chat, by the Model Context Protocol.",
        seeAlso: { commands: ["status", "explain"], pages: ["assistants.md"] },
        load: async (terminal) => (await import("./commands/mcp.ts")).mcpCommand(terminal),
      },
    }),
  },
  {
    heading: "Beside a scheduler:",
    commands: named({
      agent: {
        summary: "Runs beside a scheduler: posts what it wants, and carries out what the service asks for.",
        seeAlso: { commands: ["push", "status"], pages: ["agent.md", "schedulers.md"] },
        load: async (terminal) => (await import("../agent/command.ts")).agentCommand(terminal),
      },
      slurm: {
        summary: "Writes nodes and partitions of Slurm that follow from a cluster.",
        seeAlso: { commands: ["agent", "buckets"], pages: ["slurm.md#slurmconf"] },
        load: async (terminal) => (await import("./commands/slurm.ts")).slurmCommand(terminal),
      },
    }),
  },
  {
    heading: "Recorded cases:",
    commands: named({
      backtest: {
        summary: "Shows what a recorded workload would have cost, and how long its jobs would have waited.",
        seeAlso: { commands: ["plan", "replay"], pages: ["backtest.md"] },
        load: async (terminal) => (await import("./commands/backtest.ts")).backtestCommand(terminal),
      },
      plan: {
        summary: "Plans recorded scenarios. Sends nothing.",
        seeAlso: { commands: ["replay", "backtest"], pages: ["cli.md#recorded-cases"] },
        load: async (terminal) => (await import("./commands/plan.ts")).planCommand(terminal),
      },
      replay: {
        summary: "Makes an archived plan again, or plans recorded passes.",
        seeAlso: { commands: ["plans", "plan"], pages: ["cli.md#recorded-cases"] },
        load: async (terminal) => (await import("./commands/replay.ts")).replayCommand(terminal),
      },
    }),
  },
  {
    heading: "Practise:",
    commands: named({
      lab: {
        summary: "Breaks a simulator on this machine, and checks whether you put it right.",
        seeAlso: { commands: ["status", "explain"], pages: ["lab.md"] },
        load: async (terminal) => (await import("./commands/lab.ts")).labCommand(terminal),
      },
    }),
  },
  {
    heading: "This command line:",
    commands: named({
      columns: {
        summary: "Prints the columns of lists, for -o and for a configuration.",
        seeAlso: { commands: ["nodes", "jobs"], pages: ["cli.md#choose-columns"] },
        load: async (terminal) => (await import("./commands/columns.ts")).columnsCommand(terminal),
      },
      completion: {
        summary: "Prints the completion of a shell: source <(ccscale completion bash)",
        seeAlso: { commands: [], pages: ["cli.md#install"] },
        load: async () => (await import("./commands/completion.ts")).completionCommand(),
      },
      version: {
        summary: "Prints the releases of ccscale and of the service.",
        seeAlso: { commands: ["status"], pages: ["cli.md#install", "api.md"] },
        load: async (terminal) => (await import("./commands/version.ts")).versionCommand(terminal),
      },
    }),
  },
];

export const commandNames: ReadonlySet<string> = new Set(
  commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name)),
);
