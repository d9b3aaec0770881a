import { useState } from "preact/hooks";
import { shownValue, useListTools } from "./list-tools.tsx";
import { type Column, columnOf, LaidOut, type Sort, type TableProps } from "./table.tsx";

const { compare } = new Intl.Collator("en", { numeric: true });

/** A list whose columns can be left out, whose rows can be ordered by each, and which can be taken away as a file. */
export function ListTable<T>(props: TableProps<T>) {
  const { rows } = props;
  const columns = props.columns.map(columnOf);
  const [sort, setSort] = useState<Sort>();
  const { shown, tools } = useListTools<T, Column<T>>(columns, { sort, onSort: setSort });
  const by = columns.find(({ title }) => title === sort?.title);
  // After all hooks: it draws cells, which have hooks of their own.
  const ordered = by === undefined ? rows : sorted(rows, by, sort?.order === "descending" ? -1 : 1);
  if (rows.length === 0) return <LaidOut {...props} columns={shown} />;
  return (
    <>
      {tools(ordered)}
      <LaidOut
        {...props}
        rows={ordered}
        columns={shown}
        sort={sort}
        heading={({ title, kind }) =>
          kind === "tight" ? (
            title
          ) : (
            <button
              type="button"
              class="plain head"
              onClick={() =>
                setSort({
                  title,
                  order: sort?.title === title && sort.order === "ascending" ? "descending" : "ascending",
                })
              }
            >
              {title}
              {sort?.title !== title ? "" : sort.order === "ascending" ? " ▴" : " ▾"}
            </button>
          )
        }
      />
    </>
  );
}

/** What is not known comes last; rows that are alike stay as they come. */
function sorted<T>(rows: readonly T[], column: Column<T>, sign: 1 | -1): readonly T[] {
  const keyed = rows.map((row) => ({ row, value: shownValue(column, row) }));
  keyed.sort(({ value: a }, { value: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : compare(String(a), String(b)));
  });
  return keyed.map(({ row }) => row);
}
