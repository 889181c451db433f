import type { Target } from './contract.ts'

/** What a person takes from a list to work on. */
export interface Chosen {
  readonly target: Target
  readonly question: string
  readonly sql: string
}
