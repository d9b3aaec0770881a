/** US dollars, or hours of nodes, as they are shown where they are reckoned. */
export function inCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** To a thousandth of a cent, as `GET cost` has them, so that sums there are the same. */
export function inMilliCents(usd: number): number {
  return Math.round(usd * 1e5) / 1e5;
}

/** Prices are whole millionths of a dollar, so that sums do not depend on their order. */
export function inMicroUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
