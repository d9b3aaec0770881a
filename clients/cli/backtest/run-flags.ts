import type { QueuePolicy } from "../../../shared/backtest/index.ts";
import type { ArchiveFlags } from "./from-archive.ts";
import type { Varied } from "./vary.ts";
import type { WorkloadFlags } from "./workload-file.ts";

export const runFormats = ["table", "json", "csv"] as const;

export interface RunFlags extends WorkloadFlags, ArchiveFlags {
  readonly config: string;
  readonly cluster?: string;
  readonly snapshot?: string;
  readonly vary?: readonly Varied[];
  readonly scheduler: QueuePolicy;
  readonly wholeNodes?: true;
  readonly seed: number;
  readonly workers?: number;
  readonly report?: string;
  readonly suggest?: true;
  readonly suggestRuns: number;
  readonly format: (typeof runFormats)[number];
}
