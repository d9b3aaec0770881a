/** What a scheduler of so many jobs and hosts prints, as scripts that print files; records are those of a real scheduler, repeated. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DriverKind } from "../../../clients/agent/drivers/driver.ts";

export interface CellSize {
  readonly jobs: number;
  readonly hosts: number;
}

export interface Cell {
  readonly kind: DriverKind;
  /** The driver's settings: its programs are the scripts. */
  readonly section: Readonly<Record<string, unknown>>;
  /** Writes what is printed from now on. In each round other jobs run and wait: one in a hundred has ended, and as many are new. */
  readonly print: (round: number) => void;
}

const fixtures = join(import.meta.dirname, "../../clients/agent/drivers/fixtures");

/** What a command printed in a recorded situation. */
export function recorded(path: string): string {
  return readFileSync(join(fixtures, `${path}.txt`), "utf8");
}

/** A program of the scheduler's; returns its path. */
export function script(folder: string, name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Running and waiting jobs of a round: two run on each host, as far as there are jobs. Ids grow with the rounds. */
export function idsOf({ jobs, hosts }: CellSize, round: number) {
  const first = 1 + Math.round((round * jobs) / 100);
  const ids = Array.from({ length: jobs }, (_, index) => first + index);
  const running = Math.min(jobs / 2, 2 * hosts);
  return { running: ids.slice(0, running), waiting: ids.slice(running) };
}

export function hostName(index: number): string {
  return `ip-${(0x0a000000 + 10 + index).toString(16).padStart(8, "0")}`;
}
