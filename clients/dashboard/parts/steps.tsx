import type { ComponentChildren } from "preact";
import { Time } from "./state.tsx";
import { Table } from "./table.tsx";

export interface Step {
  /** Unix seconds. */
  readonly at: number;
  readonly text: ComponentChildren;
}

/** What happened when, as a table. */
export function Steps(props: { readonly caption: string; readonly steps: readonly Step[] }) {
  return (
    <Table
      caption={props.caption}
      rows={props.steps.map((step, index) => ({ ...step, index }))}
      rowKey={({ index }) => String(index)}
      none="Nothing yet."
      columns={[
        ["Time", ({ at }) => <Time at={at} />],
        ["What", ({ text }) => text, "long"],
      ]}
    />
  );
}
