import { Writable } from 'node:stream'

const eraseLine = '\r\u001b[2K'

/**
 * A terminal with log lines that scroll and one status line that stays below them. Where the output is no terminal the
 * status is not shown: `Progress` is logged there instead.
 */
export class Terminal {
  readonly #out: NodeJS.WriteStream
  #status = ''

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out
  }

  get isInteractive(): boolean {
    return this.#out.isTTY
  }

  /** For a logger to write to: keeps the status line below. */
  readonly stream: Writable = new Writable({
    write: (chunk: Buffer | string, _encoding, done) => {
      this.#out.write(this.#status === '' ? chunk : `${eraseLine}${chunk.toString()}${this.#status}`)
      done()
    },
  })

  /** Shows `text` as the status, cut to the width of the terminal. */
  setStatus(text: string): void {
    if (!this.isInteractive) return
    this.#status = text.slice(0, Math.max(20, this.#out.columns - 1))
    this.#out.write(`${eraseLine}${this.#status}`)
  }

  /** Takes the status line away. */
  clearStatus(): void {
    if (this.#status === '') return
    this.#status = ''
    this.#out.write(eraseLine)
  }
}
