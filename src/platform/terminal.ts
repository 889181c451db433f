import { Writable } from 'node:stream'

export type TerminalOutput = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>

const defaultColumns = 80

const eraseLine = '\r\u001b[2K'
const lineUp = '\u001b[1A'

/** Scrolling log lines above fixed status lines. Other outputs show no status. */
export class Terminal {
  readonly #out: TerminalOutput
  #status: readonly string[] = []

  constructor(out: TerminalOutput = process.stdout) {
    this.#out = out
  }

  get isInteractive(): boolean {
    return this.#out.isTTY
  }

  /** Takes whole lines. */
  readonly stream: Writable = new Writable({
    write: (chunk: Buffer | string, _encoding, done) => {
      this.#out.write(`${this.#erased()}${chunk.toString()}${this.#status.join('\n')}`)
      done()
    },
  })

  setStatus(lines: readonly string[]): void {
    if (!this.isInteractive) return
    const width = (this.#out.columns || defaultColumns) - 1
    const erased = this.#erased()
    this.#status = lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line))
    this.#out.write(`${erased}${this.#status.join('\n')}`)
  }

  #erased(): string {
    return this.#status.length === 0 ? '' : eraseLine + `${lineUp}${eraseLine}`.repeat(this.#status.length - 1)
  }
}
