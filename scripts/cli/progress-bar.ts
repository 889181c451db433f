import { Terminal } from '../../src/platform/terminal.ts'
import { count, duration } from './texts.ts'

const barWidth = 30
const lineEveryMs = 5000
const paceMs = 10_000

/** On standard error: a bar on a terminal, otherwise lines. */
export class ProgressBar {
  readonly #terminal = new Terminal(process.stderr)
  readonly #label: string
  readonly #samples: { at: number; done: number }[] = []
  #lineAt = -Infinity

  constructor(label: string) {
    this.#label = label
  }

  show(done: number, all: number, note = ''): void {
    const text = this.#text(done, all, note)
    if (this.#terminal.isInteractive) this.#terminal.setStatus([text])
    else if (performance.now() - this.#lineAt >= lineEveryMs) {
      this.#lineAt = performance.now()
      process.stderr.write(`${text}\n`)
    }
  }

  say(line: string): void {
    this.#terminal.stream.write(`${line}\n`)
  }

  end(): void {
    this.#terminal.setStatus([])
  }

  #text(done: number, all: number, note: string): string {
    const now = performance.now()
    this.#samples.push({ at: now, done })
    while ((this.#samples[0]?.at ?? now) < now - paceMs) this.#samples.shift()
    const part = all === 0 ? 1 : done / all
    const full = Math.floor(part * barWidth)
    const bar = '█'.repeat(full) + '░'.repeat(barWidth - full)
    const first = this.#samples[0] ?? { at: now, done }
    const rate = now - first.at < 500 ? 0 : ((done - first.done) * 1000) / (now - first.at)
    const pace = rate > 0 ? `  ${count(Math.round(rate))}/s, ${duration((all - done) / rate)} left` : ''
    const percent = `${Math.floor(part * 100)} %`.padStart(5)
    return `${this.#label} ${bar} ${percent}  ${count(done)} of ${count(all)}${pace}${note === '' ? '' : `  ${note}`}`
  }
}
