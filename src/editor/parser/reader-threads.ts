import { createHash } from 'node:crypto'
import { ParserThread, UnreadableSource } from '../../flow/cadence/parser-thread.ts'
import type { ParserThreadOptions } from '../../flow/cadence/parser-thread.ts'
import type { SourceAnswers, SourceQuestion } from './source-reader.ts'

/** Sources that crashed a thread are not tried again. */
const maxKnownBad = 200

/** The parser of the editor. Checks come last. */
export class ReaderThreads {
  readonly #thread: ParserThread<SourceQuestion, SourceAnswers[keyof SourceAnswers]>
  readonly #bad = new Map<string, UnreadableSource>()

  constructor(options: ParserThreadOptions = {}) {
    this.#thread = new ParserThread(new URL('reader-thread.ts', import.meta.url), { maxWaiting: 500, ...options })
  }

  /** @throws UnreadableSource; RetryableError if the queue is full or no thread starts */
  async ask<Kind extends SourceQuestion['kind']>(
    question: SourceQuestion & { readonly kind: Kind },
  ): Promise<SourceAnswers[Kind]> {
    const hash = hashOf(question)
    const bad = this.#bad.get(hash)
    if (bad !== undefined) throw bad
    try {
      return (await this.#thread.ask(question, { isUrgent: question.kind !== 'check' })) as SourceAnswers[Kind]
    } catch (error) {
      if (error instanceof UnreadableSource && error.code !== 'failed') this.#remember(hash, error)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  #remember(hash: string, error: UnreadableSource): void {
    this.#bad.set(hash, error)
    const [oldest] = this.#bad.keys()
    if (this.#bad.size > maxKnownBad && oldest !== undefined) this.#bad.delete(oldest)
  }
}

function hashOf({ code, imports }: SourceQuestion): string {
  const hash = createHash('sha256').update(code)
  for (const file of imports) hash.update('\0').update(file.code)
  return hash.digest('base64')
}
