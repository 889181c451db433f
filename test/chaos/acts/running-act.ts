/** A measured duration and its guaranteed maximum, if any. */
export interface Measure {
  readonly what: string
  readonly ms: number
  readonly limitMs?: number
}

/** A started act. */
export interface RunningAct {
  /** Description for the report. */
  readonly words: string
  /** Guaranteed maximum recovery time, ms. Applies only if no other act overlaps. */
  readonly recoveryLimitMs?: number
  /** Ends a lasting act; the program may not have recovered yet. */
  readonly end?: () => Promise<void>
  /** Result after the end. */
  readonly measures?: () => Promise<readonly Measure[]>
}
