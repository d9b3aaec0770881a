import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { notificationFormats } from "../../../shared/ports/index.ts";
import { contentFor } from "../../../shared/webhooks/index.ts";
import { noticeOf } from "./notice.ts";

const over = { phase: "over", id: "i-1-over", atSeconds: 1_800_003_600 } as const;

/** Every object within a value. */
function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : [value as Record<string, unknown>];
  return [...own, ...Object.values(value).flatMap(objectsIn)];
}

describe("the content of a message", () => {
  test("JSON has every field, and not to whom it goes", () => {
    const { to: _to, ...fields } = noticeOf();
    expect(contentFor("json", noticeOf())).toEqual({ version: 1, ...fields });
  });

  test("Teams: an adaptive card", () => {
    expect(contentFor("teams", noticeOf())).toMatchInlineSnapshot(`
      {
        "attachments": [
          {
            "content": {
              "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
              "body": [
                {
                  "inlines": [
                    {
                      "color": "Attention",
                      "size": "Medium",
                      "text": "Problem: cluster hpc, boots-failing (gpu)",
                      "type": "TextRun",
                      "weight": "Bolder",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "text": "Node array "gpu" gets no new nodes for 600 s.",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "text": "Look at a failed node's messages in CycleCloud.",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "fontType": "Monospace",
                      "text": "ccscale nodes --cluster hpc --nodearray gpu",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "isSubtle": true,
                      "size": "Small",
                      "text": "Since 2027-01-15T08:00:00Z.",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
              ],
              "fallbackText": "Problem i-1-begun",
              "type": "AdaptiveCard",
              "version": "1.2",
            },
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
          },
        ],
        "type": "message",
      }
    `);
  });

  test("Slack: blocks, and a line for devices", () => {
    expect(contentFor("slack", noticeOf(over))).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "emoji": false,
              "text": "Over: cluster hpc, boots-failing (gpu)",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "emoji": false,
              "text": "It is over. It was: Node array "gpu" gets no new nodes for 600 s.",
              "type": "plain_text",
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "emoji": false,
                "text": "From 2027-01-15T08:00:00Z to 2027-01-15T09:00:00Z.",
                "type": "plain_text",
              },
            ],
            "type": "context",
          },
        ],
        "mrkdwn": false,
        "text": "Over: cluster hpc, boots-failing (gpu)",
        "unfurl_links": false,
      }
    `);
  });

  const names = [
    "<script>alert(1)</script>",
    "*bold* _it_ [a](https://evil.example)",
    "<!channel> @channel <@U1>",
  ];

  test.each(names)("%s is no markup in Teams: it stands in text runs alone", (subject) => {
    const content = contentFor("teams", noticeOf({ subject, text: subject, cluster: subject }));
    const holders = objectsIn(content).filter((each) =>
      Object.values(each).some((value) => typeof value === "string" && value.includes(subject)),
    );
    expect(holders.length).toBe(2);
    expect(new Set(holders.map(({ type }) => type))).toEqual(new Set(["TextRun"]));
    expect(objectsIn(content).map(({ type }) => type)).not.toContain("TextBlock");
  });

  test.each(names)("%s is no markup in Slack: it stands in plain text, or is escaped", (subject) => {
    const content = contentFor("slack", noticeOf({ subject, text: subject, cluster: subject }));
    expect(content.text).not.toMatch(/[<>]/);
    expect(content.mrkdwn).toBe(false);
    const texts = objectsIn(content.blocks).filter(({ text }) => typeof text === "string");
    expect(new Set(texts.map(({ type }) => type))).toEqual(new Set(["plain_text"]));
  });

  test.each(notificationFormats)("%s: as large as it may be, it is within what receivers take", (format) => {
    const text = fc.string({ minLength: 1_500, maxLength: 1_500 });
    const subject = fc.string({ maxLength: 230 });
    fc.assert(
      fc.property(text, text, text, subject, (first, next, command, name) => {
        const content = contentFor(format, noticeOf({ text: first, next, command, subject: name }));
        // Teams takes 28 KB.
        expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(28 * 1024);
        if (format !== "slack") return;
        const lengths = objectsIn(content.blocks).map(({ text: line }) => String(line ?? "").length);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(3_000);
        const header = objectsIn(content.blocks).find(({ type }) => type === "header");
        expect(objectsIn(header?.text)).toMatchObject([{ type: "plain_text" }]);
        expect(String(objectsIn(header?.text)[0]?.text).length).toBeLessThanOrEqual(150);
      }),
      { numRuns: 30 },
    );
  });
});
