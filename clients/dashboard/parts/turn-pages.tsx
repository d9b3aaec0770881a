import { goTo, type Place } from "../place.ts";

/** Leads from one page of a list to the next, and back to the first. Each is an entry of the browser's history. */
export function TurnPages(props: {
  readonly place: Place;
  /** Null: this page is the last. */
  readonly next: string | null;
  readonly titles: { readonly first: string; readonly next: string };
}) {
  const { place, next, titles } = props;
  const turn = (cursor: string) => goTo({ ...place, options: { ...place.options, cursor } });
  return (
    <div class="acts">
      {(place.options.cursor ?? "") === "" ? null : (
        <button type="button" onClick={() => turn("")}>
          {titles.first}
        </button>
      )}
      {next === null ? null : (
        <button type="button" onClick={() => turn(next)}>
          {titles.next}
        </button>
      )}
    </div>
  );
}

/** Page buttons of a list whose newest items come first. */
export const byAge = { first: "Newest", next: "Older" } as const;
