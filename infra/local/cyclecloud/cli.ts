import { Command, InvalidArgumentError } from "commander";
import { loadDefinition, startCycleCloud } from "./index.ts";

const program = new Command("cyclecloud-simulator")
  .description("Simulates a CycleCloud server for development; it creates no machines.")
  .requiredOption("--cluster <file...>", "cluster definition files")
  .option("--port <number>", "port on 127.0.0.1, 0 for a free one", number, 8443)
  .option("--speed <number>", "simulated seconds per real second", number, 1)
  .option("--seed <number>", "seed of all draws", number, 1)
  .option("--username <name>", "account of the API", "demo")
  .option("--events-url <url>", "where events of nodes are posted to, as Event Grid does it")
  .option("--password <password>", "password of the account", "demo");

const { cluster: files, ...settings } = program.parse().opts<{
  cluster: string[];
  port: number;
  speed: number;
  seed: number;
  username: string;
  password: string;
  eventsUrl?: string;
}>();

try {
  const definitions = await Promise.all(files.map((file) => loadDefinition(file)));
  const running = await startCycleCloud({ definitions, ...settings });
  console.log(
    `CycleCloud simulator at ${running.url}, clusters ${definitions.map(({ name }) => name).join(", ")}`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void running.stop());
} catch (error) {
  // A definition that does not hold, a port that is taken: what to change is in the message, not in the stack.
  const { message, code } = error as NodeJS.ErrnoException;
  console.error(
    code === "EADDRINUSE"
      ? `Cannot listen on port ${settings.port}: another program does, expected a free one; --port 0 takes any`
      : message,
  );
  process.exitCode = 1;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("expected a number");
}
