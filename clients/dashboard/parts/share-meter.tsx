import { percent } from "../words.ts";

/** How much of the most there may be is used: a bar, and the share in percent. The label says it without the bar. */
export function ShareMeter(props: { readonly used: number; readonly most: number; readonly label: string }) {
  const { used, most, label } = props;
  return (
    <>
      <meter min={0} max={most} high={0.8 * most} optimum={0} value={used} aria-label={label} />{" "}
      {most > 0 ? percent(used / most) : ""}
    </>
  );
}
