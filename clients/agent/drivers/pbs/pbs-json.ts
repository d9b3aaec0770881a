import { isDictionary, jsonOr } from "../../../../shared/json/json.ts";

/** What `-F json` printed of one kind, by name. */
export interface PbsList {
  readonly records: ReadonlyMap<string, unknown>;
  /** Records that are no JSON even after the repair, with what stands in their place. */
  readonly broken: ReadonlyMap<string, string>;
}

/**
 * The records that qstat or pbsnodes printed as JSON; undefined when it is not all there. Some releases do not escape what users
 * write (quotes, backslashes, line ends in variables): such a record is repaired, or named.
 */
export function readPbsJson(text: string, list: "Jobs" | "nodes" | "Queue" | "Server"): PbsList | undefined {
  const json = jsonOr(text);
  if (json === undefined) return repairedList(text, list);
  if (!isDictionary(json) || typeof json.pbs_server !== "string") return undefined;
  const found = json[list] ?? {};
  return isDictionary(found) ? { records: new Map(Object.entries(found)), broken: new Map() } : undefined;
}

/** PBS prints one value a line, each level one step further in. */
function repairedList(text: string, list: string): PbsList | undefined {
  const lines = text.trimEnd().split("\n");
  const begin = lines.findIndex((line) => /^\s/.test(line) && line.replaceAll(/\s/g, "") === `"${list}":{`);
  const step = /^\s+/.exec(lines[begin] ?? "")?.[0];
  if (step === undefined || lines.at(-1) !== "}" || lines.at(-2) !== `${step}}`) return undefined;
  const records = new Map<string, unknown>();
  const broken = new Map<string, string>();
  const inside = lines.slice(begin + 1, -2);
  const isStart = (line: string) => line.startsWith(`${step}${step}"`) && /^\s+"[^"]+":\s*\{$/.test(line);
  const isEnd = (line: string) => line === `${step}${step}}` || line === `${step}${step}},`;
  for (let at = 0; at < inside.length; ) {
    const name = isStart(inside[at] ?? "") ? /"([^"]+)"/.exec(inside[at] ?? "")?.[1] : undefined;
    let last = at;
    while (last + 1 < inside.length && !isStart(inside[last + 1] ?? "")) last++;
    if (name === undefined || !isEnd(inside[last] ?? "")) return undefined;
    const body = inside.slice(at + 1, last);
    const record = jsonOr(`{${body.join("\n")}}`) ?? jsonOr(`{${repaired(body)}}`);
    if (record === undefined) broken.set(name, body.join("\n"));
    else records.set(name, record);
    at = last + 1;
  }
  return { records, broken };
}

const entry = /^(\s+"(?:[^"\\]|\\.)*":)/;

/** Each value that is no JSON becomes the text that it was meant to be; lines that begin nothing belong to the value before. */
function repaired(lines: readonly string[]): string {
  const joined: string[] = [];
  for (const line of lines) {
    if (entry.test(line) || /^\s*[}\]],?$/.test(line) || joined.length === 0) joined.push(line);
    else joined.push(`${joined.pop()}\n${line}`);
  }
  return joined
    .map((line) => {
      const [, key] = entry.exec(line) ?? [];
      const rest = line.slice((key ?? "").length).trimStart();
      if (key === undefined || /^[[{]$/.test(rest)) return line;
      const [comma] = /,?$/.exec(rest) ?? [""];
      const value = rest.slice(0, rest.length - comma.length);
      if (jsonOr(value) !== undefined || value === "null") return line;
      const bare =
        value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
      return `${key}${JSON.stringify(bare)}${comma}`;
    })
    .join("\n");
}
