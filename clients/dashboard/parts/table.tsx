import type { ComponentChildren } from "preact";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Whole sentences, which a narrow screen leaves some room. */
  readonly isLong?: boolean;
  /** No wider than what is in it, such as a box to tick. */
  readonly isTight?: boolean;
}

function classOf({ isNumber, isLong, isTight }: Omit<Column<never>, "title" | "cell">): string | undefined {
  return isNumber ? "number" : isLong ? "long" : isTight ? "tight" : undefined;
}

/** A browser takes a table that is laid out otherwise for no table, unless it is called one. */
function roleOf(role: "table" | "rowgroup" | "row" | "columnheader" | "cell") {
  return { role };
}

export interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
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
  const { caption, columns, rows, rowKey, none = "None.", sort } = props;
  const { heading = ({ title }: Column<T>) => title } = props;
  if (rows.length === 0) return <p class="quiet">{none}</p>;
  // Rows with sentences become cards on a narrow screen. Figures stay in columns, to be compared.
  const isCards = columns.some(({ isLong }) => isLong);
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
                class={classOf(column)}
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
                <td key={column.title} {...roleOf("cell")} class={classOf(column)} data-title={column.title}>
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
