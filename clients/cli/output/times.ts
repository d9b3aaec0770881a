import { type Command, Option } from "commander";
import { ago, localMoment, moment } from "./moments.ts";
import type { Format, OutputSettings } from "./output-settings.ts";

const kinds = ["local", "utc", "relative"] as const;

export type Times = (typeof kinds)[number];

interface Wishes {
  readonly flags: { readonly times?: Times; readonly format?: Format };
  readonly settings: OutputSettings;
}

export function timesOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--times <how>",
      "how moments are written: by the local clock, in UTC, or how long ago (default: local in CSV)",
    ).choices(kinds),
  );
}

/** Writes a list's moments: as `--times` says; else by the local clock in CSV, which spreadsheets read, and as `usual` elsewhere. */
export function momentWriter(
  { flags, settings }: Wishes,
  { usual, nowSeconds }: { readonly usual: Times; readonly nowSeconds: number },
): (seconds: number) => string {
  const isCsv = (flags.format ?? settings.format) === "csv";
  switch (flags.times ?? (isCsv ? "local" : usual)) {
    case "local":
      return (seconds) => localMoment(seconds);
    case "utc":
      return moment;
    case "relative":
      return (seconds) => ago(seconds, nowSeconds);
  }
}
