import type { QueryTarget } from '../../../src/assistant/query/query-service.ts'

/**
 * A question of the evaluation, with what is known to answer it. None of them is among the examples that the model is
 * shown.
 */
export interface GoldQuestion {
  /** Short and lower case, for reports. */
  readonly id: string
  readonly target: QueryTarget
  readonly question: string
  /**
   * Statements that answer it, at least one; several where people would write it in different ways, which the tests
   * then hold together. `{flowToken}` stands for the account of a core contract.
   */
  readonly accepted: readonly [string, ...string[]]
  /** Positions of the columns by which the rows have to be in order; left out where the question asks for no order. */
  readonly order?: readonly number[]
  /**
   * How far numbers may be off, relative to the known one: for questions about averages and shares. Default: not at
   * all but for the noise of floats.
   */
  readonly tolerance?: number
}
