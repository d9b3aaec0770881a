/** So many alike, each on one host. */
export interface Chunk {
  readonly count: number;
  readonly resources: ReadonlyMap<string, string>;
}

export interface Place {
  readonly arrangement: "free" | "pack" | "scatter" | "vscatter";
  /** Undefined: what the nodes say. */
  readonly sharing: "shared" | "excl" | "exclhost" | undefined;
  /** The resource that has one value on all its nodes. */
  readonly group: string | undefined;
}

const mostChunks = 1_000_000;

/** `2:ncpus=4:mem=8gb+1:ncpus=1`, as the server wrote it with all its defaults; undefined for what cannot be read. */
export function parseSelect(text: string): readonly Chunk[] | undefined {
  if (text === "") return undefined;
  const chunks = splitOutside(text, "+").map(parseChunk);
  const known = chunks.filter((chunk) => chunk !== undefined);
  return known.length < chunks.length ? undefined : known;
}

/** Those that are alike and follow each other as one: PBS places chunks in their order. */
export function merged(chunks: readonly Chunk[]): readonly Chunk[] {
  const all: Chunk[] = [];
  for (const chunk of chunks) {
    const last = all.at(-1);
    if (last === undefined || keyOf(last) !== keyOf(chunk)) all.push(chunk);
    else all[all.length - 1] = { ...last, count: last.count + chunk.count };
  }
  return all;
}

function keyOf({ resources }: Chunk): string {
  return JSON.stringify([...resources].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parseChunk(text: string): Chunk | undefined {
  const [first = "", ...rest] = splitOutside(text, ":");
  const isCount = /^\d{1,7}$/.test(first);
  const count = isCount ? Number(first) : 1;
  const items = (isCount ? rest : [first, ...rest]).map((item) => /^([A-Za-z][\w-]*)=([\s\S]*)$/.exec(item));
  if (count < 1 || count > mostChunks || items.some((item) => item === null)) return undefined;
  return {
    count,
    resources: new Map(items.map((item) => [item?.[1] ?? "", unquoted(item?.[2] ?? "")] as const)),
  };
}

/** Not inside quotes, in which values may have whatever they like. */
function splitOutside(text: string, separator: string): readonly string[] {
  if (!/["']/.test(text)) return text.split(separator);
  const parts = [""];
  let quote = "";
  for (const letter of text) {
    if (letter === separator && quote === "") parts.push("");
    else parts[parts.length - 1] += letter;
    if (quote === "" && (letter === '"' || letter === "'")) quote = letter;
    else if (letter === quote) quote = "";
  }
  return parts;
}

function unquoted(value: string): string {
  const [quote] = value;
  const isQuoted = (quote === '"' || quote === "'") && value.length > 1 && value.at(-1) === quote;
  return isQuoted ? value.slice(1, -1) : value;
}

/** `scatter:excl:group=switch`; undefined for words of another release. */
export function parsePlace(text: string): Place | undefined {
  let arrangement: Place["arrangement"] = "free";
  let sharing: Place["sharing"];
  let group: string | undefined;
  for (const word of text.split(":").filter((each) => each !== "")) {
    if (word === "free" || word === "pack" || word === "scatter" || word === "vscatter") arrangement = word;
    else if (word === "shared" || word === "excl" || word === "exclhost") sharing = word;
    else if (/^group=[\w-]+$/.test(word)) group = word.slice(6);
    else return undefined;
  }
  return { arrangement, sharing, group };
}

export interface VnodeShare {
  readonly vnode: string;
  readonly resources: ReadonlyMap<string, string>;
}

/** `(ip-1:ncpus=2:mem=1kb)+(ip-2:ncpus=1)`: what a running job has of each vnode; undefined for what cannot be read. */
export function parseExecVnode(text: string): readonly VnodeShare[] | undefined {
  const parts = text.replaceAll(/[()]/g, "").split("+");
  const shares = parts.map((part): VnodeShare | undefined => {
    const [vnode = "", ...rest] = part.split(":");
    const items = rest.map((item) => item.split("="));
    if (!/^[\w.-]+(?:\[\d+\])?$/.test(vnode) || items.some((item) => item.length !== 2)) return undefined;
    return { vnode, resources: new Map(items.map(([name = "", value = ""]) => [name, value] as const)) };
  });
  const known = shares.filter((share) => share !== undefined);
  return text === "" || known.length < shares.length ? undefined : known;
}

/** The hosts in `ip-1/0*2+ip-1/2+ip-2/0`, each once. */
export function hostsIn(execHost: string): readonly string[] {
  const names = execHost.split("+").map((part) => part.split("/")[0]?.trim() ?? "");
  return [...new Set(names.filter((name) => /^[A-Za-z0-9][\w.-]{0,254}$/.test(name)))];
}
