/** Limits of one CSV file. */
export interface CsvLimits {
  /** Transfers and fees. */
  readonly maxRows: number
  /** Time that the client takes for it, in milliseconds. */
  readonly maxMs: number
}

export const csvLimits: CsvLimits = { maxRows: 500_000, maxMs: 300_000 }
