/**
 * Splits a whole number into whole parts in proportion to the weights, so that the parts add up to it exactly: what is given
 * away up to each part is rounded, never the part itself, so errors do not add up. Weights are not negative; when all are
 * zero, the last part takes everything. No weights: an empty list.
 */
export function splitExactly(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let [weight, given] = [0, 0];
  return weights.map((own, index) => {
    weight += own;
    const until =
      index === weights.length - 1
        ? total
        : Math.min(total, Math.round(total * (sum === 0 ? 0 : weight / sum)));
    const part = until - given;
    given = until;
    return part;
  });
}
