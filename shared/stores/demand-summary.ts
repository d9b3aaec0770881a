import { describeSetAside, shown } from "../messages/index.ts";
import type {
  DemandSetAside,
  DemandSummary,
  RefusedWord,
  SetAsideSummary,
  SourceDemand,
  WarnedSummary,
} from "../ports/index.ts";
import { printable } from "../text/text.ts";

/** A summary has to fit the metadata of a blob: 8 KiB, of which a character may take nine bytes. */
const mostFirst = 3;
const longestWords = 100;
const longestName = 50;
const longestWarned = 250;
/** Of plain ASCII, of which a character takes three bytes at most. */
const longestNotice = 250;
const mostNotices = 2;

export function summaryOf({
  jobs,
  nodes,
  nodeShapes = [],
  setAside,
  notices = [],
  refused,
  runTimes: _,
  ...rest
}: SourceDemand): DemandSummary {
  const warned = warnedOf(jobs);
  return {
    ...rest,
    jobs: jobs.length,
    running:
      jobs.filter(({ executingHostnames }) => executingHostnames.length > 0).length +
      (setAside?.items.filter(({ running }) => running !== undefined).length ?? 0),
    nodes: nodes.length,
    ...(nodeShapes.length === 0 ? {} : { nodeShapes: nodeShapes.length }),
    ...(notices.length === 0 ? {} : { notices: notices.slice(0, mostNotices).map(inAscii) }),
    ...(setAside === undefined ? {} : { setAside: inShort(setAside) }),
    ...(refused === undefined ? {} : { refused: cut(refused) }),
    ...(warned === undefined ? {} : { warned }),
  };
}

function warnedOf(jobs: SourceDemand["jobs"]): WarnedSummary | undefined {
  const warned = jobs.filter(({ warnings }) => warnings !== undefined);
  const [first] = warned;
  if (first === undefined) return undefined;
  const words = `job ${shown(first.name)}: ${first.warnings?.[0] ?? ""}`;
  return { jobs: warned.length, first: printable(words).slice(0, longestWarned) };
}

function inAscii(notice: string): string {
  return notice.replaceAll(/[^ -~]/g, "?").slice(0, longestNotice);
}

function inShort({ items, more }: DemandSetAside): SetAsideSummary {
  return {
    items: items.length + more,
    lost: items.filter(({ running }) => running?.isWhole === false).length,
    first: items.slice(0, mostFirst).map((item) => describeSetAside(item).slice(0, longestWords)),
  };
}

function cut(refused: RefusedWord): RefusedWord {
  const { problems, claimedSource } = refused;
  return {
    ...refused,
    problems: problems.slice(0, 1).map((problem) => problem.slice(0, longestWords)),
    claimedSource: claimedSource?.slice(0, longestName) ?? null,
  };
}
