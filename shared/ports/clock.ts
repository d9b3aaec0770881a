/** The only source of time. Unix seconds, fractions allowed. */
export interface Clock {
  nowSeconds(): number;
}
