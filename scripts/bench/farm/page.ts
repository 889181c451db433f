/** One line of the page. */
export interface Figure {
  readonly label: string
  readonly value: string
  /** What was to be reached; none for figures that are only told. */
  readonly target?: string
  readonly isReached?: boolean
}

const labelWidth = 58
const valueWidth = 40

/** Writes a heading, and each figure as soon as it is known. */
export class Page {
  #missed = 0

  /** Figures that are below their target. */
  get missed(): number {
    return this.#missed
  }

  heading(text: string): void {
    process.stdout.write(`\n${text}\n`)
  }

  figure({ label, value, target, isReached }: Figure): void {
    if (isReached === false) this.#missed++
    const verdict = target === undefined ? '' : `${target.padEnd(22)} ${isReached === true ? 'ok' : 'NOT REACHED'}`
    process.stdout.write(`  ${label.padEnd(labelWidth)} ${value.padEnd(valueWidth)} ${verdict}`.trimEnd() + '\n')
  }
}
