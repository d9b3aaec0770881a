import type { ComponentChildren } from "preact";

/** Figures with their names. `isSmall`: facts, of which a page has many. */
export function Figures(props: {
  readonly figures: readonly (readonly [title: string, value: ComponentChildren])[];
  readonly isSmall?: true;
}) {
  return (
    <dl class={props.isSmall ? "figures facts" : "figures"}>
      {props.figures.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
