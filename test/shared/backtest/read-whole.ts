import {
  GridEngineReader,
  JobListReader,
  type LineReader,
  SacctReader,
  SwfReader,
  type TraceJob,
  type Workload,
} from "../../../shared/backtest/index.ts";

/** A workload whose jobs are an array, so that tests can compare them. */
export interface ListedWorkload extends Workload {
  readonly jobs: readonly TraceJob[];
}

export function listed({ jobs, ...rest }: Workload): ListedWorkload {
  return { ...rest, jobs: [...jobs] };
}

function readWhole<Read>(reader: LineReader<Read>, text: string): Read {
  for (const [index, line] of text.split("\n").entries())
    reader.line({ number: index + 1, text: line.trim() });
  return reader.end();
}

export const readSwf = (text: string) => listed(readWhole(new SwfReader(), text));
export const readGridEngine = (text: string) => listed(readWhole(new GridEngineReader(), text));

export function readSacct(text: string, options?: ConstructorParameters<typeof SacctReader>[0]) {
  const read = readWhole(new SacctReader(options), text);
  return "missing" in read ? read : listed(read);
}

export function readJobList(list: readonly unknown[]): ListedWorkload {
  const reader = new JobListReader();
  for (const item of list) reader.item(item);
  return listed(reader.end());
}
