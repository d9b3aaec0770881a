import { type ComponentChildren, render } from "preact";
import { useMemo, useState } from "preact/hooks";
import { counted } from "../words.ts";
import { saveFile } from "./save-file.ts";
import type { Column, Sort } from "./table.tsx";

interface Sorting {
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort | undefined) => void;
}

/** Which columns of a list are shown, and what chooses them, orders rows where headings are not seen, and makes files of both. */
export function useListTools<T, C extends Column<T>>(
  columns: readonly C[],
  sorting?: Sorting,
): { readonly shown: readonly C[]; readonly tools: (rows: readonly T[]) => ComponentChildren } {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const shown = useMemo(() => columns.filter(({ title }) => !hidden.includes(title)), [columns, hidden]);
  const named = columns.filter(({ kind }) => kind !== "tight");
  const written = shown.filter(({ kind }) => kind !== "tight");
  const tools = (rows: readonly T[]) => (
    <details class="tools" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Columns and export</summary>
      {!isOpen ? null : (
        <>
          <fieldset>
            <legend>Columns</legend>
            {named.map(({ title }) => (
              <label key={title} class="check">
                <input
                  type="checkbox"
                  checked={!hidden.includes(title)}
                  disabled={written.length === 1 && written[0]?.title === title}
                  onChange={({ currentTarget: { checked } }) =>
                    setHidden(checked ? hidden.filter((each) => each !== title) : [...hidden, title])
                  }
                />{" "}
                {title}
              </label>
            ))}
          </fieldset>
          {sorting === undefined ? null : (
            <label>
              Sort by{" "}
              <select
                value={sorting.sort?.title ?? ""}
                onChange={({ currentTarget: { value: title } }) =>
                  sorting.onSort(title === "" ? undefined : { title, order: "ascending" })
                }
              >
                <option value="">as it comes</option>
                {named.map(({ title }) => (
                  <option key={title}>{title}</option>
                ))}
              </select>
            </label>
          )}
          <div class="acts">
            <button type="button" onClick={() => void saveCsv(written, rows)}>
              CSV of {counted(rows.length, "row")}
            </button>
            <button type="button" onClick={() => saveJson(written, rows)}>
              JSON of {counted(rows.length, "row")}
            </button>
          </div>
        </>
      )}
    </details>
  );
  return { shown, tools };
}

/** What a cell shows: a moment as ISO 8601, an amount as a number, nothing (a dash) as null. */
export function shownValue<T>({ cell, kind }: Column<T>, row: T): string | number | null {
  const box = document.createElement("div");
  render(cell(row), box);
  for (const sign of box.querySelectorAll("[aria-hidden=true]")) sign.remove();
  const text = box.textContent.trim();
  const time = box.querySelector("time");
  if (time !== null && time.textContent.trim() === text) return time.dateTime;
  if (text === "" || text === "–") return null;
  const amount = text.replaceAll(/[$,]/g, "");
  return kind === "number" && /^-?\d+(\.\d+)?$/.test(amount) ? Number(amount) : text;
}

async function saveCsv<T>(columns: readonly Column<T>[], rows: readonly T[]): Promise<void> {
  // Only who wants it loads it.
  const { csvOf } = await import("../../columns/csv.ts");
  const lines = rows.map((row) => columns.map((column) => shownValue(column, row)));
  const head = columns.map(({ title }) => title);
  saveFile(nameFor("csv"), "text/csv", csvOf(head, lines));
}

function saveJson<T>(columns: readonly Column<T>[], rows: readonly T[]): void {
  const records = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.title, shownValue(column, row)])),
  );
  saveFile(nameFor("json"), "application/json", JSON.stringify(records, null, 2));
}

/** Named as the address of the view: `hpc-jobs.csv`. */
function nameFor(ending: string): string {
  const [path = ""] = location.hash.split("?", 1);
  return `${path.split("/").slice(2).map(decodeURIComponent).join("-")}.${ending}`;
}
