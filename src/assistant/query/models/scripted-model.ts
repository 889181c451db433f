import { ApiError } from '../../../platform/errors.ts'
import type { ExamplePair } from '../examples/example-pair.ts'
import type { ModelState } from '../../../platform/llm/model-state.ts'
import { pairId } from '../memory/kept-pair.ts'
import type { ModelReply, ModelRequest, SqlModel } from './sql-model.ts'

/**
 * No model: it knows the example questions by heart and answers nothing else. For trials without a key; whoever asks is told, by
 * `is_scripted` and by its name.
 */
export class ScriptedModel implements SqlModel {
  readonly state: ModelState = { provider: 'scripted', name: 'example-questions', isScripted: true }
  readonly #examples: () => readonly ExamplePair[]

  /** @param examples asked for anew with each question */
  constructor(examples: () => readonly ExamplePair[]) {
    this.#examples = examples
  }

  reply({ question }: ModelRequest): Promise<ModelReply> {
    const asked = keyOf(question)
    const known = this.#examples().find(({ questions }) => questions.some((one) => keyOf(one) === asked))
    if (known === undefined) {
      const remedy =
        'Choose one of these (GET /api/v1/examples), or have a model for all questions: set LLM_API_KEY, and LLM_PROVIDER to whose it is.'
      return Promise.reject(
        new ApiError(503, 'no-model', `Without a model only the example questions have an answer. ${remedy}`),
      )
    }
    return Promise.resolve({ text: `\`\`\`sql\n${known.sql}\n\`\`\``, isCutOff: false })
  }
}

/** Equal for questions that differ in case and spaces alone. */
function keyOf(question: string): string {
  return pairId({ target: 'indexer', question, sql: '' })
}
