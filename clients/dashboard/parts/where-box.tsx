import type { WhereKey } from "../../../shared/names/where-keys.ts";
import { choose, type Place, useAhead } from "../place.ts";

/** One line that filters a list, kept in the address. The browser offers keys, and values that are there, for the word that is typed. */
export function WhereBox(props: {
  readonly place: Place;
  readonly keys: Readonly<Record<string, WhereKey>>;
  readonly example: string;
  /** Words that are worth offering, such as `state:Ready`. */
  readonly offers: readonly string[];
}) {
  const { place, keys, example, offers } = props;
  const { where = "" } = place.options;
  const [typed, setTyped] = useAhead(where);
  const before = typed.slice(0, typed.lastIndexOf(" ") + 1);
  const words = [
    ...offers,
    ...Object.entries(keys).map(([key, { is }]) => `${key}${is === "text" ? ":" : ">"}`),
  ];
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        choose(place, { where: typed.trim(), cursor: "" });
      }}
    >
      <label class="long">
        Filter
        <input
          name="where"
          list="where-words"
          placeholder={example}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <datalist id="where-words">
        {words.map((word) => (
          <option key={word} value={`${before}${word}`} />
        ))}
      </datalist>
      <button type="submit">Filter</button>
      {where === "" ? null : (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setTyped("");
            choose(place, { where: "", cursor: "" });
          }}
        >
          Show all
        </button>
      )}
    </form>
  );
}

/** `key:value` of each value that there is, in order. */
export function offersOf(key: string, values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values)]
    .flatMap((value) => (value === null || value === "" ? [] : [value]))
    .toSorted()
    .map((value) => `${key}:${/[\s,]/.test(value) ? `"${value}"` : value}`);
}
