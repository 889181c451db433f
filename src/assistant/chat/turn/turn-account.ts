import type { LanguageModelUsage } from 'ai'
import type { AnswerEnd, ChatMetadata } from '../chat-message.ts'
import type { TurnRequest } from './chat-turn.ts'

/** Counts what an answer cost, for the client and for the metrics. */
export class TurnAccount {
  readonly #request: Pick<TurnRequest, 'mode' | 'model'>
  readonly #startedAt = performance.now()
  #steps = 0
  #input: number | null = null
  #output: number | null = null
  #reasoning: number | null = null

  constructor(request: Pick<TurnRequest, 'mode' | 'model'>) {
    this.#request = request
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  get steps(): number {
    return this.#steps
  }

  beginStep(): void {
    this.#steps++
  }

  /** Providers may leave any of it out. */
  spend({ inputTokens, outputTokens, outputTokenDetails }: LanguageModelUsage): void {
    this.#input = sum(this.#input, inputTokens)
    this.#output = sum(this.#output, outputTokens)
    this.#reasoning = sum(this.#reasoning, outputTokenDetails.reasoningTokens)
  }

  /** What is known before the answer. */
  get origin(): ChatMetadata {
    const {
      mode,
      model: { state },
    } = this.#request
    return { mode, model: `${state.provider}/${state.name}`, isScripted: state.isScripted }
  }

  /** @param end undefined: there is no whole answer */
  metadata(end: AnswerEnd | undefined): ChatMetadata {
    const total = this.#input === null && this.#output === null ? null : (this.#input ?? 0) + (this.#output ?? 0)
    return {
      ...this.origin,
      ...(end === undefined ? {} : { end }),
      steps: this.#steps,
      durationMs: Math.round(this.elapsedMs),
      usage: {
        inputTokens: this.#input,
        outputTokens: this.#output,
        reasoningTokens: this.#reasoning,
        totalTokens: total,
      },
    }
  }
}

function sum(before: number | null, more: number | undefined): number | null {
  return more === undefined ? before : (before ?? 0) + more
}
