/**
 * Turns many small questions into few large ones: whatever is asked in one turn of the event loop, and while an answer is
 * awaited, goes together into the next. One is under way at a time.
 */
export class Gathered<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Answer[]>
  readonly #mostAtOnce: number
  readonly #waiting: { question: Question; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = []
  #isBusy = false

  /** @param ask answers by the place of the question */
  constructor(ask: (questions: readonly Question[]) => Promise<readonly Answer[]>, mostAtOnce = 500) {
    this.#ask = ask
    this.#mostAtOnce = mostAtOnce
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#mostAtOnce)
      try {
        const answers = await this.#ask(batch.map(({ question }) => question))
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isBusy = false
  }
}
