export function Choice(props: {
  readonly legend: string;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}) {
  const { legend, options, value, onChoose } = props;
  return (
    <fieldset class="choice">
      <legend class="hidden">{legend}</legend>
      {options.map((each) => (
        <button
          key={each.value}
          type="button"
          class="plain"
          aria-pressed={each.value === value}
          onClick={() => onChoose(each.value)}
        >
          {each.title}
        </button>
      ))}
    </fieldset>
  );
}

/** How far back a view looks, in hours. */
export const spans = [
  { value: "1", title: "1 hour" },
  { value: "6", title: "6 hours" },
  { value: "24", title: "24 hours" },
  { value: "168", title: "7 days" },
  { value: "720", title: "30 days" },
];
