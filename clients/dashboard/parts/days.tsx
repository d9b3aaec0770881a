import { choose, type Place } from "../place.ts";

const daySeconds = 86_400;

/** From the first day up to and with the last one, in UTC, as the accounts count days. Kept in the address. */
export function Days({ place }: { readonly place: Place }) {
  const { from = "", until = "" } = place.options;
  return (
    <form
      class="filter"
      key={`${from} ${until}`}
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const secondsOf = (name: string) => Date.parse(String(fields.get(name))) / 1_000;
        const [first, last] = [secondsOf("first"), secondsOf("last")];
        choose(place, { from: String(first), until: String(Math.max(first, last) + daySeconds), cursor: "" });
      }}
    >
      <label>
        From <input type="date" name="first" required defaultValue={dayOf(from, 0)} />
      </label>
      <label>
        To <input type="date" name="last" required defaultValue={dayOf(until, 1)} />
      </label>
      <button type="submit">Show these days</button>
    </form>
  );
}

/** Empty for what is no time; `ago` seconds before it, since a day ends where the next begins. */
function dayOf(seconds: string, ago: number): string {
  const moment = new Date((Number(seconds) - ago) * 1_000);
  return seconds === "" || Number.isNaN(moment.getTime()) ? "" : moment.toISOString().slice(0, 10);
}
