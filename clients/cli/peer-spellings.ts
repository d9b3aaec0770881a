import { type Command, Option } from "commander";
import { commandNames } from "./command-table.ts";

/** The answer to a peer's command that does not exist here: what to use. `isFine`: nothing has to be done. */
export interface Advice {
  readonly isFine: boolean;
  readonly text: string;
}

/** What `azpbs`, `azge` and `azslurm` call a command, where it is not its name here with underscores. */
const peerCommands: ReadonlyMap<string, readonly string[] | Advice> = new Map<
  string,
  readonly string[] | Advice
>([
  ["analyze", ["explain"]],
  ["connect", ["status"]],
  ["default_output_columns", ["columns"]],
  ["drain_node", ["drain"]],
  ["drain_nodes", ["drain"]],
  ["offline", ["drain"]],
  ["online", ["undrain"]],
  ["initconfig", ["config", "init"]],
  ["reimage_nodes", ["reimage"]],
  ["restart_nodes", ["restart"]],
  ["retry_failed_nodes", ["retry-failed"]],
  [
    "refresh_autocomplete",
    { isFine: true, text: 'Nothing to refresh: the script of "ccscale completion" asks ccscale itself.' },
  ],
  [
    "join_nodes",
    {
      isFine: false,
      text: 'ccscale joins no nodes: the agent beside the scheduler does when they appear. After "ccscale drain" use "ccscale undrain", after "ccscale ignore" use "ccscale unignore".',
    },
  ],
  [
    "scale",
    {
      isFine: false,
      text: '"ccscale slurm config" writes the lines of nodes, as azslurm\'s scale does. "ccscale autoscale" sets how many nodes of an array there should be.',
    },
  ],
  ["shell", { isFine: false, text: "There is no shell: use --format json, or the HTTP API." }],
]);

/** The command line in the spelling of this program; or advice, if a peer's command does not exist here. */
export function fromPeers(argv: readonly string[]): readonly string[] | Advice {
  const [first = "", ...rest] = argv;
  const spelling = peerCommands.get(first);
  if (spelling !== undefined) return "text" in spelling ? spelling : [...spelling, ...rest];
  const hyphened = first.replaceAll("_", "-");
  return commandNames.has(hyphened) ? [hyphened, ...rest] : argv;
}

/** By the option here: how peers spell it. */
const everywhere: Readonly<Record<string, readonly string[]>> = {
  "--node-name": ["--node-names <names>"],
  "--hostname": ["--hostnames <names>"],
  "--constraint": ["--constraint-expr <expression>"],
  "--format": ["-F, --output-format <format>"],
};

const byCommand: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "create-nodes": {
    "--count": ["--nodes <number>"],
    "--vm-size": ["-v <size>"],
    "--placement-group": ["-p <name>"],
    "--keep-alive": ["-k"],
    "--exclusive": ["-x"],
    "--strategy": ["-t <strategy>"],
    "--dry-run": ["-d"],
    "--software-configuration": ["-S <json>"],
    "--attribute": ["-O, --node-attribute-overrides <json>"],
  },
  init: { "--server-url": ["--url <address>"] },
};

class PeerSpelling extends Option {
  readonly #meant: Option;

  constructor(flags: string, meant: Option) {
    super(flags);
    this.#meant = meant;
    this.hideHelp();
    if (meant.parseArg !== undefined)
      this.argParser((text: string, before: unknown) =>
        // Peers write `table_headerless`.
        meant.parseArg?.(meant.long === "--format" ? text.replaceAll("_", "-") : text, before),
      );
  }

  override attributeName(): string {
    return this.#meant.attributeName();
  }
}

/** Lets a command take its options as peers spell them, where it has an option of that meaning. */
export function addPeerSpellings(command: Command): void {
  const spellings = { ...everywhere, ...byCommand[command.name()] };
  for (const option of [...command.options])
    for (const flags of spellings[option.long ?? ""] ?? [])
      command.addOption(new PeerSpelling(flags, option));
}
