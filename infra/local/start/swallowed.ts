/** `jobs` is also a setting of npm's own tools, which many people have in their .npmrc. */
const alsoOfNpm: ReadonlySet<string> = new Set(["jobs"]);

/**
 * Why `npm start` cannot begin, when npm kept an option for itself because "--" was left out, as in
 * `npm start --example lab`: npm hands its own options down in the environment, and the words behind them as arguments.
 * Undefined: it can.
 */
export function swallowed(given: {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Long names of options, without dashes. */
  readonly options: readonly string[];
  readonly args: readonly string[];
}): string | undefined {
  const { env, options, args } = given;
  const kept = options.filter((name) => !alsoOfNpm.has(name) && env[`npm_config_${name}`] !== undefined);
  if (kept.length === 0 && args.length === 0) return undefined;
  if (kept.length === 0) return `Cannot take "${args.join(" ")}": see npm start -- --help`;
  const words = [...kept.map((name) => `--${name}`), ...args].join(" ");
  return `Cannot take ${words}: options of "npm start" come after "--", such as: npm start -- ${words}`;
}
