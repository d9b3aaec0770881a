import { type ParseArgsConfig, parseArgs } from "node:util";

/** What the command line of this process asks for; it ends with the options when it asks for them, or for one that is none. */
export function optionsOf<const T extends ParseArgsConfig>(
  command: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const usage = `Run it with \`${command}\`; the top of its file says what it does.`;
  if (process.argv.slice(2).includes("--help")) {
    console.log(usage);
    process.exit();
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
}
