import type { QueuePolicy } from "../../../shared/backtest/index.ts";
import type { ArchiveFlags } from "./from-archive.ts";
import type { Varied } from "./vary.ts";
import type { WorkloadFlags } from "./workload-file.ts";

/** What may be searched: settings that cost less, or buffers and spare nodes at hours of the week that shorten waits. */
export const suggested = ["settings", "schedules"] as const;

export const runFormats = ["table", "json", "csv"] as const;

export interface RunFlags extends WorkloadFlags, ArchiveFlags {
  readonly config: string;
  readonly cluster?: string;
  readonly snapshot?: string;
  readonly with?: string;
  readonly vary?: readonly Varied[];
  readonly scheduler: QueuePolicy;
  readonly wholeNodes?: true;
  readonly seed: number;
  readonly workers?: number;
  readonly report?: string;
  readonly suggest?: (typeof suggested)[number];
  readonly suggestRuns: number;
  readonly print?: "schedule" | "week";
  readonly format: (typeof runFormats)[number];
}
