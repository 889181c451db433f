import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pause } from '../../../src/platform/retry.ts'

const everyMs = 50

/** E-mails that the wallet writes to files, by recipient. */
export class Mailbox {
  readonly #folder: string
  readonly #read = new Set<string>()
  readonly #codes = new Map<string, string>()

  /** @param folder MAIL_FOLDER; may not exist yet */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The code of the newest e-mail to an address; undefined after the timeout. */
  async codeTo(email: string, withinMs: number, signal: AbortSignal): Promise<string | undefined> {
    const until = performance.now() + withinMs
    while (performance.now() < until && !signal.aborted) {
      await this.#look()
      const code = this.#codes.get(email)
      if (code !== undefined) return code
      await pause(everyMs)
    }
    return undefined
  }

  async #look(): Promise<void> {
    for (const name of (await this.#names()).toSorted((a, b) => (a < b ? -1 : 1))) {
      if (this.#read.has(name)) continue
      const [head = '', ...rest] = (await readFile(join(this.#folder, name), 'utf8')).split('\n\n')
      const to = /^To: (\S+)$/m.exec(head)?.[1]
      const code = /\b\d{6}\b/.exec(rest.join('\n\n'))?.[0]
      // A partly written e-mail is read again.
      if (to === undefined || code === undefined) continue
      this.#read.add(name)
      this.#codes.set(to, code)
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return []
    }
  }
}
