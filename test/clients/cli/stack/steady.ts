import { table } from "../../../../clients/columns/table.ts";

/** What differs from one run to the next stands in transcripts as one and the same, as long as the real thing. */
export const standIn = {
  plan: "20261122T100000.000Z-0a1b2c",
  id: "01234567-89ab-4cde-8f01-23456789abcd",
  instance: "0123456789abcdef",
  moment: "2026-11-22T10:00:00Z",
} as const;

const rules: readonly (readonly [pattern: RegExp, standIn: string])[] = [
  [/\b20\d{6}T\d{6}\.\d{3}Z-[0-9a-f]{6}\b/g, standIn.plan],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, standIn.id],
  [/\b(?=[0-9a-f]*[a-f])[0-9a-f]{16}\b/g, standIn.instance],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, standIn.moment],
  // By the clock of whoever runs this.
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g, "2026-11-22T11:00:00+01:00"],
  // Lengths of time: a moment, or what is left of minutes. How slow the machine is must not show.
  // A moment later it is over, and not told.
  [/, in [\dms]+ by the clock alone/g, ""],
  [/\b(\d{1,2}s|[0-3]m(\d{1,2}s)?)\b/g, "9s"],
  [/\b\d{1,2}m(\d{1,2}s)? ago\b/g, "9s ago"],
  [/\bunknown for [\dhms]+/g, "unknown for 9s"],
  [/\b[\ddhms]+ before it came\b/g, "9s before it came"],
  [/\b(\d{1,2}h)[1-5]\dm\b/g, "$110m"],
  [/\bends in [\dhms]+/g, "ends in 1h59m"],
  [/\b\d{1,2}m\d{1,2}s\b/g, "9m59s"],
  // The moment itself: a table's cell, or the end of a sentence.
  [/(^|\bin )(?:5|10)m$/g, "$19m59s"],
  [/^(next by the clock +)(?:in .*|due now)/, "$1in 9m59s"],
  [/^(last 24h +)(?:\d+ % [a-z]+(?:, )?)+ of [\d.]+ node-hours$/, "$1100 % idle of 0.1 node-hours"],
  // Known if plans saw three nodes boot; on a slow machine they see them Ready.
  [/, ready in about \w+(?=; \d+ (extra )?jobs? wait)/g, ""],
  // What nodes cost since they are there, and so all month: the table of the status.
  [/^(\S+ {2,})\d+\.\d\d( {2,})\d+\.\d\d( {2,})\d+\.\d\d( {2,})\d+\.\d\d$/, "$10.05$20.05$30.05$42000.00"],
  [/^(NODE ARRAY +THIS HOUR +TODAY +)20\d\d-\d\d/, "$12026-11"],
  // Unix time, and the sequences of those who number their messages by it.
  [/(Seconds": )1[789]\d{8}(\.\d+)?\b/g, "$11795341600"],
  [/\b1[789]\d{11}\b/g, "1795341600000"],
  [/("sequence":)1[789]\d{8}\b/g, "$11795341600"],
  [/("(cpuS|s)econds":)[\d.]+/g, "$10.1"],
  // What plans take, compressed.
  [/("archivedBytes": ?)\d+/g, "$11234"],
  [/\b\d+ plans? of [\d.]+ KB each in [\dhms]+/g, "9 plans of 1.2 KB each in 9s"],
  [/127\.0\.0\.1:\d{2,}/g, "127.0.0.1:7071"],
  [/\d+ files, \d+ bytes/g, "22 files, 56789 bytes"],
  // Which request a plan was made for, if several wait, is a matter of milliseconds.
  [/^(last plan +\S+ ago) \([^)]*\)/, "$1 (demand from pbs)"],
  // Who asks for a plan in the same second asks for the same plan, and it carries the words of one of them.
  [
    /\b(new demand|snapshot changed|operations closed|demand from \w+|keep-alive (on|off) by \w+: [^)]+)/g,
    "demand from pbs",
  ],
];

/**
 * An output as it would be on any run. A table is laid out again, since a column is as wide as its widest cell. Throws an Error for a table
 * whose columns are not aligned.
 */
export function steady(output: string): string {
  return output
    .split("\n\n")
    .map((block) => steadyBlock(block.split("\n")))
    .join("\n\n");
}

function steadyBlock(lines: readonly string[]): string {
  const start = lines.findIndex((line) => isHead(line));
  if (start < 0) return lines.map(steadyText).join("\n");
  const end = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const [head = "", ...rows] = lines.slice(start, end);
  const inTable = rows.filter((row) => !isUnderRow(row));
  const cells = steadyBoots(cellsOf([head, ...inTable]).map((row) => row.map(steadyText)));
  const [heading = "", ...body] = table(undefined, cells).trimEnd().split("\n");
  const before = lines.slice(0, start).map(steadyText);
  const laidOut = body.values();
  const after = rows.map((row) => (isUnderRow(row) ? steadyText(row) : (laidOut.next().value ?? "")));
  return [...before, heading, ...after, ...lines.slice(end)].join("\n");
}

/** How many more there are. */
function isUnderRow(line: string): boolean {
  return line.startsWith("… and ");
}

/** On a slow machine a plan sees a node for the first time when it is Ready: then nobody knows how long it took. */
function steadyBoots(cells: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [head = [], ...rows] = cells;
  const ended = head.findIndex((name) => name === "BOOTS_FAILED" || name === "FAILED_SHARE");
  const times = [head.indexOf("BOOT_P50"), head.indexOf("BOOT_P95")];
  const boots = (row: readonly string[]) => row[ended] !== undefined && row[ended] !== "-";
  const steadied = rows.map((row) =>
    boots(row) ? row.map((cell, at) => (times.includes(at) ? "9s" : cell)) : row,
  );
  // The slowest come first, and which ones those are differs from run to run.
  return [head, ...(head.includes("FAILED_SHARE") ? steadied.toSorted() : steadied)];
}

function steadyText(text: string): string {
  const changed = rules.reduce((so, [pattern, stands]) => so.replace(pattern, stands), text);
  return changed.replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]*(?=…)/g, (cut) => standIn.id.slice(0, cut.length));
}

/** At least two headings in capitals, and nothing else. */
function isHead(line: string): boolean {
  const words = line.split(/ {2,}/);
  return words.length > 1 && words.every((word) => /^[*/]?[A-Z][A-Z0-9_-]*( [A-Z]+)*$/.test(word));
}

function cellsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const [head = ""] = lines;
  const starts = [...head.matchAll(/(?<=^| {2})\S/g)].map(({ index }) => index);
  return lines.map((line) =>
    starts.map((start, column) => {
      if (start > 0 && line.length > start - 2 && line.slice(start - 2, start).trim() !== "")
        throw new Error(`Column ${column + 1} is not aligned in "${line}"`);
      return line.slice(start, starts[column + 1]).trimEnd();
    }),
  );
}
