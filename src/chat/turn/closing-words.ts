import type { AnswerEnd } from '../chat-message.ts'

/** How the model ended. */
export interface ModelEnd {
  readonly end: AnswerEnd
  /** The last step has a text. */
  readonly hasText: boolean
  /** There were calls of tools. */
  readonly hasUsedTools: boolean
}

/** What an answer lacks to have an end that people can read; undefined where it lacks nothing. */
export function closingWords({ end, hasText, hasUsedTools }: ModelEnd): string | undefined {
  if (end === 'refused')
    return 'The provider of the model declined to answer this. Ask in other words, or for something else.'
  if (end === 'length') {
    return hasText
      ? undefined
      : 'The model reached the most that it may say at once before it came to an answer. Ask for less at once.'
  }
  if (hasText) return undefined
  if (end === 'steps')
    return 'All steps of this answer were used before the model came to one. What its tools found is above; ask again for a part of it.'
  return hasUsedTools
    ? 'The model ended here without words of its own. What its tools found is above.'
    : 'The model gave no answer. Ask again, or in other words.'
}
