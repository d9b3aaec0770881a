import type { Draw } from "./draws.ts";
import { optionsOf } from "./options.ts";

/** What is drawn of each kind: the node arrays that its jobs may use, and what is submitted each time. */
interface Kind<Node extends string> {
  readonly nodes: readonly Node[];
  readonly waves: readonly (readonly string[])[];
}

/** What the scheduler does once it starts nothing more. */
interface Settled {
  /** Names of the nodes with jobs. */
  readonly used: ReadonlySet<string>;
  readonly waiting: (kind: number) => number;
  readonly runs: (kind: number) => string;
}

/** A real scheduler with the driver of ours. */
interface Scheduler {
  /** Submits jobs of a kind. Returns those that it takes: it refuses many that make no sense. */
  submit(jobs: readonly string[], kind: number): Promise<readonly string[]>;
  /** The nodes that are bought for one reading. */
  wanted(): Promise<readonly string[]>;
  join(names: readonly string[]): Promise<void>;
  /** Ends a part of the jobs that run. */
  endSome(wave: number): Promise<void>;
  settled(): Promise<Settled>;
}

/** The kinds that the command line asks for, and the nodes that there may be for them. `more`: what else may be given. */
export function drawnFor<Node extends string, K extends Kind<Node>>(
  { command, more }: { readonly command: string; readonly more?: string },
  draw: (options: Draw) => readonly K[],
) {
  const usage = `${command} -- [--waves 3] [--usual] [--seed 1] [--count 40] [--only 5,7]`;
  const { values, positionals } = optionsOf(more === undefined ? usage : `${usage} ${more}`, {
    allowPositionals: more !== undefined,
    options: {
      waves: { type: "string", default: "1" },
      usual: { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "40" },
      only: { type: "string" },
    },
  });
  const [seed, count, waves] = [values.seed, values.count, values.waves].map(Number) as [
    number,
    number,
    number,
  ];
  const only = values.only?.split(",");
  const drawn = draw({ seed, count, waves, usual: values.usual }).filter(
    (_, index) => only === undefined || only.includes(String(index)),
  );
  /** Of each node array. */
  const available = waves > 1 ? 12 : 8;
  const arrays = drawn.flatMap(({ nodes }, kind) =>
    nodes.map((node, index) => ({ kind, node, name: `k${kind}${"ab"[index]}` })),
  );
  const nodes = arrays
    .flatMap((array) => Array.from({ length: available }, (_, index) => ({ array, number: index + 1 })))
    .map(({ array: { kind, node, name }, number }, index) => ({
      kind,
      node,
      nodeArray: name,
      name: `${name}-${number}`,
      hostname: `ip-0a01${index.toString(16).padStart(4, "0")}`,
    }));
  return { drawn, waves, arrays, nodes, available, printsAll: only !== undefined, given: positionals };
}

/** The kind of a node, a node array or a queue. */
export function kindOf(name: string): number {
  return Number(/^k(\d+)/.exec(name)?.[1]);
}

/** Submits what was drawn, wave by wave, and prints the kinds of which a node stays idle, or that start only with more nodes. */
export async function submitInWaves<Node extends string, K extends Kind<Node>>(
  { drawn, waves, nodes, printsAll }: ReturnType<typeof drawnFor<Node, K>>,
  scheduler: Scheduler,
  titleOf: (kind: K) => string,
): Promise<void> {
  const lines: string[][] = drawn.map(() => []);
  const joined = new Set<string>();
  const join = async (names: readonly string[]) => {
    for (const name of names) joined.add(name);
    await scheduler.join(names);
  };
  /** As often as the agent would read before everything is bought: usually once. */
  const buy = async () => {
    await scheduler.settled();
    for (const word of ["", "LATE: ", "LATE: "]) {
      const bought = await scheduler.wanted();
      if (bought.length === 0) return;
      await join(bought);
      const { used } = await scheduler.settled();
      for (const [kind, own] of lines.entries()) {
        const names = bought.filter((name) => kindOf(name) === kind);
        const idle = names.filter((name) => !used.has(name));
        const use = idle.length === 0 ? "all used" : `IDLE ${idle.join(" ")}`;
        if (names.length > 0) own.push(`    ${word}bought ${names.join(" ")}, ${use}`);
      }
    }
  };
  let taken = 0;
  for (let wave = 0; wave < waves; wave++) {
    if (wave > 0) await scheduler.endSome(wave);
    for (const [kind, own] of drawn.entries()) {
      const jobs = await scheduler.submit(own.waves[wave] ?? [], kind);
      taken += jobs.length;
      lines[kind]?.push(`  wave ${wave + 1}: ${jobs.join(" ; ")}`);
    }
    await buy();
    const now = await scheduler.settled();
    for (const [kind, own] of lines.entries()) own.push(`    runs: ${now.runs(kind)}`);
  }
  const before = await scheduler.settled();
  const left = nodes.filter(({ name, kind }) => !joined.has(name) && before.waiting(kind) > 0);
  await join(left.map(({ name }) => name));
  const after = await scheduler.settled();
  for (const [kind, own] of lines.entries()) {
    const [waited, waits] = [before.waiting(kind), after.waiting(kind)];
    if (waited > waits) own.push(`    STUCK: ${waited} wait, ${waits} with all nodes: ${after.runs(kind)}`);
  }
  const having = (word: RegExp) => lines.filter((own) => own.some((line) => word.test(line)));
  const [idle, late, stuck] = [/IDLE/, /LATE/, /STUCK/].map((word) => having(word).length);
  const differ = having(/IDLE|LATE|STUCK/);
  console.log(
    `${drawn.length} drawn, ${taken} jobs taken by qsub, ${differ.length} differ: ${idle} leave a node idle, ${late} buy in a second pass, ${stuck} wait for ever`,
  );
  for (const [kind, own] of drawn.entries()) {
    const printed = lines[kind] ?? [];
    if (differ.includes(printed) || printsAll)
      console.log([`${kind}: ${titleOf(own)}`, ...printed].join("\n"));
  }
}
