import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { daysIn } from "../../../clients/cli/calendars.ts";
import { readConfig } from "../../../clients/cli/config-file.ts";
import { ownFolder } from "../../support/own-folder.ts";

const about = { nowSeconds: Date.parse("2026-11-26T12:00Z") / 1000, timeZone: "Europe/Berlin" };
const calendar = (...events: readonly (readonly string[])[]) =>
  [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN"],
    ...events.flatMap((lines, index) => ["BEGIN:VEVENT", `UID:${index}`, ...lines, "END:VEVENT"]),
    "END:VCALENDAR",
    "",
  ].join("\r\n");

describe("days of an iCalendar file", () => {
  test.each([
    ["a day", ["DTSTART;VALUE=DATE:20261225"], ["2026-12-25"]],
    [
      "some days in a row",
      ["DTSTART;VALUE=DATE:20261230", "DTEND;VALUE=DATE:20270102"],
      ["2026-12-30", "2026-12-31", "2027-01-01"],
    ],
    [
      "every year, also before",
      ["DTSTART;VALUE=DATE:20101225", "RRULE:FREQ=YEARLY"],
      ["2026-12-25", "2027-12-25", "2028-12-25"],
    ],
    [
      "every year but one",
      ["DTSTART;VALUE=DATE:20201225", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20271225"],
      ["2026-12-25", "2028-12-25"],
    ],
    [
      "listed dates beside its own",
      ["DTSTART;VALUE=DATE:20261201", "RDATE;VALUE=DATE:20261205"],
      ["2026-12-01", "2026-12-05"],
    ],
    ["hours of a day", ["DTSTART:20261224T140000", "DTEND:20261224T180000"], ["2026-12-24"]],
    ["over midnight", ["DTSTART:20261224T200000", "DTEND:20261225T040000"], ["2026-12-24", "2026-12-25"]],
    ["a day in Berlin, told in UTC", ["DTSTART:20261225T230000Z", "DTEND:20261226T220000Z"], ["2026-12-26"]],
    ["a moment", ["DTSTART:20261225T233000Z"], ["2026-12-26"]],
    [
      "a zone that it does not describe",
      ["DTSTART;TZID=America/New_York:20261224T200000", "DURATION:PT2H", "RRULE:FREQ=YEARLY;COUNT=2"],
      ["2026-12-25", "2027-12-25"],
    ],
    ["UTC by another name", ["DTSTART;TZID=GMT:20261225T233000"], ["2026-12-26"]],
    [
      "a day of a zone that it does not describe",
      ["DTSTART;TZID=Asia/Tokyo;VALUE=DATE:20261225"],
      ["2026-12-25"],
    ],
    ["what is over", ["DTSTART;VALUE=DATE:20251225"], []],
    ["what was called off", ["DTSTART;VALUE=DATE:20261225", "STATUS:CANCELLED"], []],
  ])("%s", async (_, event, days) => {
    expect(await daysIn(calendar(event), about)).toEqual(days);
  });

  test("one that is moved to another day", async () => {
    const yearly = ["UID:x", "DTSTART;VALUE=DATE:20251201", "RRULE:FREQ=YEARLY;COUNT=3"];
    const moved = ["UID:x", "RECURRENCE-ID;VALUE=DATE:20261201", "DTSTART;VALUE=DATE:20261202"];
    const text = calendar(yearly, moved).replaceAll(/UID:\d\r\n/g, "");
    expect(await daysIn(text, about)).toEqual(["2026-12-02", "2027-12-01"]);
  });

  test("one that is called off", async () => {
    const yearly = ["UID:x", "DTSTART;VALUE=DATE:20251201", "RRULE:FREQ=YEARLY;COUNT=3"];
    const off = [
      "UID:x",
      "RECURRENCE-ID;VALUE=DATE:20261201",
      "DTSTART;VALUE=DATE:20261201",
      "STATUS:CANCELLED",
    ];
    const text = calendar(yearly, off).replaceAll(/UID:\d\r\n/g, "");
    expect(await daysIn(text, about)).toEqual(["2027-12-01"]);
  });

  test("a byte order mark, and several calendars in one file", async () => {
    const [one, two] = ["20261201", "20261203"].map((day) => calendar([`DTSTART;VALUE=DATE:${day}`]));
    expect(await daysIn(`\uFEFF${one}${two}`, about)).toEqual(["2026-12-01", "2026-12-03"]);
  });

  test("what is no calendar, and an event without end, are refused", async () => {
    await expect(daysIn("no calendar", about)).rejects.toThrow();
    await expect(daysIn("", about)).rejects.toThrow("there is no calendar in it");
    await expect(daysIn(calendar(["SUMMARY:x"]), about)).rejects.toThrow("an event without DTSTART");
    const unknown = calendar(["DTSTART;TZID=W. Europe Standard Time:20261224T200000"]);
    await expect(daysIn(unknown, about)).rejects.toThrow(
      'the time zone "W. Europe Standard Time" is not described in it, expected a VTIMEZONE or an IANA name such as "Europe/Berlin"',
    );
    for (const when of ["DTSTART;VALUE=DATE:20261399", "DTSTART:20261201T250000"])
      await expect(daysIn(calendar([when]), about)).rejects.toThrow(
        /an event with "2026-1\d-.*", expected a day/,
      );
    const often = calendar(["DTSTART:20100101T000000", "RRULE:FREQ=SECONDLY"]);
    await expect(daysIn(often, about)).rejects.toThrow("more than 10000 times");
  });
});

describe("a configuration whose schedule names a calendar", () => {
  const folder = ownFolder();
  const config = (calendar: string) => ({
    url: "https://cyclecloud.example",
    username: "autoscale",
    schedules: {
      office: { start: "0 8 * * *", duration: "1h", except: { calendar }, settings: { max_cores: 1 } },
    },
  });
  beforeAll(async () => {
    await writeFile(
      folder("holidays.ics"),
      calendar(["DTSTART;VALUE=DATE:20991225"], ["DTSTART;VALUE=DATE:20201225", "RRULE:FREQ=YEARLY"]),
    );
    await writeFile(folder("hpc.json"), JSON.stringify(config("holidays.ics")));
    await writeFile(folder("all.json"), JSON.stringify({ include: ["hpc.json"] }));
    await writeFile(folder("none.json"), JSON.stringify(config("none.ics")));
  });
  test("has its days, also where it is included", async () => {
    const own = await readConfig(folder("hpc.json"), "hpc");
    expect(own.problems).toEqual([]);
    const days = own.config?.schedules?.[0]?.except ?? [];
    expect(days.length).toBeGreaterThanOrEqual(3);
    expect(days.every((day) => day.endsWith("-12-25"))).toBe(true);
    expect(own.own).toMatchObject({ schedules: { office: { except: days } } });
    const included = await readConfig(folder("all.json"), "hpc");
    expect(included.includes).toMatchObject({ "hpc.json": { schedules: { office: { except: days } } } });
  });

  test("a calendar that is not there is named", async () => {
    await expect(readConfig(folder("none.json"), "hpc")).rejects.toThrow(
      'Cannot read the calendar "none.ics": ENOENT',
    );
  });
});
