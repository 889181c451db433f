/** A question that the scripted model knows, and the statement that answers it. */
export interface ScriptedExample {
  /** One or more wordings, English or Chinese. The first is the one to show to people. */
  readonly questions: readonly [string, ...string[]]
  /** One SELECT for the indexer's database. */
  readonly sql: string
  /** What stands above its chart, in English. Without it the question. */
  readonly title?: string
  /** Whether its rows are the parts of a whole, which a pie shows best. */
  readonly isShares?: boolean
}

/** Equal for questions that differ in case, spaces and the mark at their end alone. */
export function questionKey(question: string): string {
  return question
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s?!.。]+$/, '')
}
