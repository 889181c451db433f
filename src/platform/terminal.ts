import { Writable } from 'node:stream'

/** What of an output stream a terminal needs. */
export type TerminalOutput = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>

/** Columns of a terminal that does not say how wide it is. */
const usualColumns = 80

const eraseLine = '\r\u001b[2K'
const lineUp = '\u001b[1A'

/**
 * A terminal with log lines that scroll, and lines of status that stay below them. Where the output is no terminal the
 * status is not shown: `Progress` is logged there instead.
 */
export class Terminal {
  readonly #out: TerminalOutput
  #status: readonly string[] = []

  constructor(out: TerminalOutput = process.stdout) {
    this.#out = out
  }

  get isInteractive(): boolean {
    return this.#out.isTTY
  }

  /** Whole lines go here, those of a logger and others: the status stays below them. */
  readonly stream: Writable = new Writable({
    write: (chunk: Buffer | string, _encoding, done) => {
      this.#out.write(`${this.#erased()}${chunk.toString()}${this.#status.join('\n')}`)
      done()
    },
  })

  /** Shows lines as the status, each cut to the width of the terminal; none takes the status away. */
  setStatus(lines: readonly string[]): void {
    if (!this.isInteractive) return
    const width = (this.#out.columns || usualColumns) - 1
    const erased = this.#erased()
    this.#status = lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line))
    this.#out.write(`${erased}${this.#status.join('\n')}`)
  }

  /** What removes the status and leaves the cursor where it began. */
  #erased(): string {
    return this.#status.length === 0 ? '' : eraseLine + `${lineUp}${eraseLine}`.repeat(this.#status.length - 1)
  }
}
