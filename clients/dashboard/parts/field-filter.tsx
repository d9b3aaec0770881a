import type { ComponentChildren } from "preact";
import { choose, type Place } from "../place.ts";

/** One field that filters a view; the address keeps it under `name`. */
export function FieldFilter(props: {
  readonly place: Place;
  readonly name: string;
  readonly title: string;
  readonly placeholder: string;
  /** Stands before it. */
  readonly children?: ComponentChildren;
}) {
  const { place, name, title, placeholder, children } = props;
  const value = place.options[name] ?? "";
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = String(new FormData(event.currentTarget).get(name)).trim();
        choose(place, { [name]: typed, cursor: "" });
      }}
    >
      {children}
      <label>
        {title} <input name={name} placeholder={placeholder} defaultValue={value} key={value} />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}
