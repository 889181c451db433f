/** The longest result that goes to the model, in characters: some 20,000 tokens. */
export const mostResultCharacters = 60_000

/** All results of a turn together; with a long conversation before it this is what models of the usual size can read. */
const mostTurnCharacters = 240_000

/** What a result keeps when the turn has had its share, so that the model sees at least what it is. */
const leastResultCharacters = 4000

/** Cuts what tools gave to what a model can read, and tells it so. */
export class ResultBudget {
  readonly #lengths = new Map<string, number>()
  #left = mostTurnCharacters

  /** @param call its id: a result that is asked for again is cut at the same place */
  cut(call: string, text: string): string {
    let most = this.#lengths.get(call)
    if (most === undefined) {
      most = Math.min(mostResultCharacters, Math.max(leastResultCharacters, this.#left))
      this.#lengths.set(call, most)
      this.#left -= Math.min(most, text.length)
    }
    if (text.length <= most) return text
    return `${text.slice(0, most).toWellFormed()}\n[Cut here: ${most} of ${text.length} characters. Ask for less, e.g. fewer columns or rows, or sums.]`
  }
}
