import type { Notice, NotificationFormat } from "../ports/index.ts";
import { moment } from "../text/moment.ts";

/**
 * The body of a message in the form that its receiver takes. Names of jobs, sources and arrays come from outside: they
 * stand only where no receiver looks for markup (`TextRun` in Teams, `plain_text` in Slack).
 */
export function contentFor(format: NotificationFormat, notice: Notice): Readonly<Record<string, unknown>> {
  switch (format) {
    case "teams":
      return teamsCard(notice);
    case "slack":
      return slackMessage(notice);
    case "json":
      return { version: 1, ...plain(notice) };
  }
}

function plain(notice: Notice) {
  const { id, incident, phase, cluster, kind, problem, subject, text, next, command } = notice;
  const { sinceSeconds, atSeconds } = notice;
  return {
    id,
    incident,
    phase,
    cluster,
    kind,
    problem,
    subject,
    text,
    next,
    command,
    sinceSeconds,
    atSeconds,
  };
}

interface Lines {
  readonly title: string;
  readonly text: string;
  /** What helps, while it lasts. */
  readonly help: readonly string[];
  readonly times: string;
}

function linesOf({ phase, cluster, problem, subject, ...notice }: Notice): Lines {
  const about = subject === null ? "" : ` (${subject})`;
  const isOver = phase === "over";
  return {
    title: `${isOver ? "Over" : "Problem"}: cluster ${cluster}, ${problem}${about}`,
    text: isOver ? `It is over. It was: ${notice.text}` : notice.text,
    help: isOver ? [] : [notice.next, notice.command].filter((line) => line !== ""),
    times: isOver
      ? `From ${moment(notice.sinceSeconds)} to ${moment(notice.atSeconds)}.`
      : `Since ${moment(notice.sinceSeconds)}.`,
  };
}

/** What a Workflows webhook of Teams takes. A `TextBlock` would read Markdown; a `TextRun` reads nothing. */
function teamsCard(notice: Notice) {
  const { title, text, help, times } = linesOf(notice);
  const runs = (line: string, style: object) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: line, ...style }],
  });
  const [next, command] = help;
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.2",
    fallbackText: `Problem ${notice.id}`,
    body: [
      runs(title, {
        weight: "Bolder",
        size: "Medium",
        color: notice.phase === "over" ? "Good" : "Attention",
      }),
      runs(text, {}),
      ...(next === undefined ? [] : [runs(next, {})]),
      ...(command === undefined ? [] : [runs(command, { fontType: "Monospace" })]),
      runs(times, { isSubtle: true, size: "Small" }),
    ],
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

const longestHeader = 150;
const longestSection = 3_000;

function slackMessage(notice: Notice) {
  const { title, text, help, times } = linesOf(notice);
  const plainText = (line: string, longest: number) => ({
    type: "plain_text",
    text: line.length <= longest ? line : `${line.slice(0, longest - 1)}…`,
    emoji: false,
  });
  return {
    // What notifications of devices show, in which Slack reads three characters as markup.
    text: slackEscaped(title),
    mrkdwn: false,
    unfurl_links: false,
    blocks: [
      { type: "header", text: plainText(title, longestHeader) },
      ...[text, ...help].map((line) => ({ type: "section", text: plainText(line, longestSection) })),
      { type: "context", elements: [plainText(times, longestSection)] },
    ],
  };
}

const slackSigns: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function slackEscaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => slackSigns[sign] ?? sign);
}
