/** Why a piece of JSON is no constraint or default resource. */
export interface Problem {
  /** Where it is, as a path into the JSON: `[0].or[1].ncpus`. */
  readonly path: string;
  readonly message: string;
}

/** Shows a value in an error message, cut short: messages go to logs. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The path of a member: `parent.key`, or `parent["a b"]` when the key is no plain name. */
export function member(path: string, key: string): string {
  return /^[\w.-]+$/.test(key) ? `${path}${path === "" ? "" : "."}${key}` : `${path}[${JSON.stringify(key)}]`;
}
