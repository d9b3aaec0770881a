/** The only source of chance: the cycle draws nothing itself, so that a run can be made again. */
export interface Random {
  /** A number from 0 up to 1, another one at each call. */
  draw(): number;
}
