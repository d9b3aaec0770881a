import type { Command } from "commander";

const everyDay: readonly (readonly [line: string, does: string])[] = [
  ["status", "what is wrong, most serious first"],
  ["explain 1202", "why a job waits, and what would help"],
  ["jobs --summary", "how many jobs wait, and for which reasons"],
  ["nodes --idle --sort -idle", "what stands idle, and for how long"],
  ["nodes --state Failed", "what failed, in CycleCloud's words"],
  ["events --since 1h", "what happened"],
  ["limits", "which limit binds where"],
  ["drain htc-3 --reason 'disk test'", "no new jobs there"],
  ["config set idle_timeout.htc 600", "changes one value, and says what would come of it"],
  ["pause --reason 'upgrade'", "sends nothing more until resume"],
];

/** Where the service is, as far as the environment says; then the commands of a day. */
export function dailyHelp(env: Readonly<Record<string, string | undefined>>): string {
  const url = env.CCSCALE_URL || env.AUTOSCALE_FUNCTIONS_URL;
  const cluster = env.CCSCALE_CLUSTER;
  const service =
    url === undefined || url === ""
      ? "No service is set: set CCSCALE_URL, or give --url, --local or --storage."
      : `Service: ${url}${cluster ? `, cluster ${cluster}` : ""}.`;
  const widest = Math.max(...everyDay.map(([line]) => line.length));
  const lines = everyDay.map(([line, does]) => `  ccscale ${line.padEnd(widest)}  ${does}`);
  return [service, "", "Every day:", ...lines, ""].join("\n");
}

/** Whether a command line asks for help: only then are examples loaded. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv[0] === "help" || argv.includes("--help") || argv.includes("-h");
}

export async function addExamples(program: Command): Promise<void> {
  const { examples } = await import("./reference/examples.ts");
  const add = (command: Command, name: string): void => {
    const own = Object.entries(examples).find(([each]) => each === name)?.[1] ?? [];
    const lines = own.map(({ line, does }) => `  ccscale ${line}\n      ${does}`);
    if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
    for (const each of command.commands) add(each, `${name} ${each.name()}`);
  };
  for (const command of program.commands) add(command, command.name());
}
