import type { DemandRefused } from "../../shared/messages/index.ts";
import { redactText } from "../../shared/text/redact.ts";
import { printableCut } from "../../shared/text/text.ts";
import { compactHostlist } from "./drivers/slurm/hostlist.ts";
import type { FilesReport } from "./kept-files.ts";

import type { PassReport } from "./pass.ts";

const shownProblems = 5;

export interface PassFacts {
  readonly cluster: string;
  readonly source: string;
  /** Passes without a reading, up to this one. */
  readonly unknownInARow: number;
  readonly seconds: number;
  /** CPU seconds of this process, without its commands. */
  readonly cpuSeconds: number;
}

/** A pass as one line of JSON, with the same keys every time. */
export function passLine(
  { reading, demand, posted, events, commands, setAside, leftOut, problems }: PassReport,
  facts: PassFacts,
): string {
  const jobs = demand?.jobs ?? [];
  const states = (demand?.nodes ?? []).map(({ state }) => state);
  const running = jobs.filter(({ executingHostnames = [] }) => executingHostnames.length > 0).length;
  const waiting = jobs
    .filter(({ executingHostnames = [] }) => executingHostnames.length === 0)
    .reduce((sum, { iterations = 1, nodeCount = 0 }) => sum + Math.max(iterations, nodeCount), 0);
  const silent = reading.known ? reading.silent : [];
  const all = [
    ...(reading.known ? [] : [`unknown: ${reading.reason}`]),
    ...(posted === undefined || posted.outcome === "sent" ? [] : [`not sent: ${posted.reason}`]),
    ...problems,
  ];
  const isFine = all.length === 0 && silent.length === 0 && leftOut === 0;
  return JSON.stringify({
    event: "pass",
    level: isFine ? "information" : "warning",
    cluster: facts.cluster,
    source: facts.source,
    reading: reading.known ? "known" : "unknown",
    unknownInARow: facts.unknownInARow,
    sent: posted?.outcome === "sent" ? posted.kind : (posted?.outcome ?? "nothing"),
    sequence: posted?.sequence ?? null,
    running,
    waiting,
    nodes: states.length,
    draining: states.filter((state) => state === "draining").length,
    drained: states.filter((state) => state === "drained").length,
    silent: silent.length,
    setAside: setAside?.length ?? null,
    leftOut,
    events,
    commands,
    seconds: round(facts.seconds),
    cpuSeconds: round(facts.cpuSeconds),
    problems: [
      ...all.slice(0, shownProblems).map(logText),
      ...(all.length > shownProblems ? [`and ${all.length - shownProblems} more`] : []),
    ],
  });
}

/** What became of files that follow from the cluster, as one line of JSON. */
export function filesLine(
  { written, waitsUntilSeconds, foreign, applied, refused, notes }: FilesReport,
  { cluster, source }: Pick<PassFacts, "cluster" | "source">,
): string {
  const problems = [
    ...foreign.map(
      (path) =>
        `${path} was written by somebody else: nothing is written until "ccscale slurm config --write" has replaced it`,
    ),
    ...(refused === undefined ? [] : [refused]),
  ];
  return JSON.stringify({
    event: "scheduler-files",
    level: problems.length === 0 ? "information" : "warning",
    cluster,
    source,
    written,
    waitsUntil: waitsUntilSeconds === undefined ? null : new Date(waitsUntilSeconds * 1000).toISOString(),
    applied,
    problems: problems.map(logText),
    notes: notes.slice(0, shownProblems).map(logText),
  });
}

/** Nodes that the scheduler names, as one line of JSON; undefined: nothing was done. */
export function namedLine(
  { named, keptAlive }: Pick<PassReport, "named" | "keptAlive">,
  { cluster, source }: Pick<PassFacts, "cluster" | "source">,
): string | undefined {
  const { ordered = [], deleted = [], givenBack = [] } = named ?? {};
  const { changes = [] } = keptAlive ?? {};
  if (ordered.length + deleted.length + givenBack.length + changes.length === 0) return undefined;
  return JSON.stringify({
    event: "named-nodes",
    level: givenBack.length === 0 ? "information" : "warning",
    cluster,
    source,
    ordered: logText(compactHostlist(ordered)),
    deleted: logText(compactHostlist(deleted)),
    givenBack: givenBack
      .slice(0, shownProblems)
      .map(({ names, why }) => logText(`${compactHostlist(names)}: ${why}`)),
    keptAlive: changes.map(logText),
  });
}

/** What the service did not take, as one line of JSON. */
export function refusalLine({ cluster, source, sequence, whole, problems }: DemandRefused): string {
  const shown = problems.map(logText);
  return JSON.stringify({
    event: "demand-refused",
    level: "warning",
    cluster,
    source,
    sequence,
    whole,
    problems: shown,
  });
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The most characters of one value or sentence in a line of the log. */
const longest = 300;

/** A text of any length and content as it may stand in a line of the log. */
export function logText(text: string): string {
  return printableCut(redactText(text), longest);
}
