import { Command, InvalidArgumentError } from "commander";
import { readConfig, type ServiceBusEmulator, startServiceBus } from "./index.ts";

interface Options {
  readonly config: string;
  readonly port: number;
  readonly data?: string;
}

const command = new Command("service-bus")
  .description("Serves the queues of a Config.json to @azure/service-bus on 127.0.0.1. For development only.")
  .requiredOption("--config <file>", "queues, in the shape of Microsoft's emulator")
  .option("--port <number>", "AMQP port; 0 takes a free one", parsePort, 5672)
  .option("--data <file>", "keeps messages in this file over a restart")
  .action(run);

await command.parseAsync();

async function run(options: Options): Promise<void> {
  const bus = await start(options).catch((error: Error) => command.error(`error: ${error.message}`));
  console.log(bus.connectionString);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bus.stop());
}

async function start({ config: path, port, data }: Options): Promise<ServiceBusEmulator> {
  return startServiceBus({
    config: readConfig(path),
    port,
    ...(data === undefined ? {} : { dataFile: data }),
  });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError(`"${text}", expected a whole number from 0 to 65535.`);
}
