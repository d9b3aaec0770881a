import type { ComponentChildren } from "preact";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** `long`: whole sentences, which a narrow screen leaves some room. `tight`: no wider than what is in it, such as a box to tick. A class of `style.css`. */
  readonly kind?: "number" | "long" | "tight" | undefined;
}

/** As views write it. */
export type ColumnOf<T> = readonly [title: string, cell: Column<T>["cell"], kind?: Column<T>["kind"]];

export function columnOf<T>([title, cell, kind]: ColumnOf<T>): Column<T> {
  return { title, cell, kind };
}

/** A browser takes a table that is laid out otherwise for no table, unless it is called one. */
function roleOf(role: "table" | "rowgroup" | "row" | "columnheader" | "cell") {
  return { role };
}

export interface TableProps<T, C = ColumnOf<T>> {
  readonly caption: string;
  readonly columns: readonly C[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly none?: string;
  readonly heading?: (column: Column<T>) => ComponentChildren;
  /** By which column rows are ordered, and how. */
  readonly sort?: Sort | undefined;
}

export interface Sort {
  readonly title: string;
  readonly order: "ascending" | "descending";
}

export function Table<T>(props: TableProps<T>) {
  return <LaidOut {...props} columns={props.columns.map(columnOf)} />;
}

/** The same of whole columns, for lists that sort and choose among them. */
export function LaidOut<T>(props: TableProps<T, Column<T>>) {
  const { caption, columns, rows, rowKey, none = "None.", sort } = props;
  const { heading = ({ title }: Column<T>) => title } = props;
  if (rows.length === 0) return <p class="quiet">{none}</p>;
  // Rows with sentences become cards on a narrow screen. Figures stay in columns, to be compared.
  const isCards = columns.some(({ kind }) => kind === "long");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table class={isCards ? "stacked" : undefined} {...roleOf("table")}>
        <caption class="hidden">{caption}</caption>
        <thead {...roleOf("rowgroup")}>
          <tr {...roleOf("row")}>
            {columns.map((column) => (
              <th
                key={column.title}
                {...roleOf("columnheader")}
                scope="col"
                class={column.kind}
                aria-sort={column.title === sort?.title ? sort.order : undefined}
              >
                {heading(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...roleOf("rowgroup")}>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...roleOf("row")}>
              {columns.map((column) => (
                <td key={column.title} {...roleOf("cell")} class={column.kind} data-title={column.title}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
