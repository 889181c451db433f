import { dirname } from 'node:path'
import { isObject } from './json-rpc.ts'

/**
 * Takes names of folders out of what a language server says in words, such as `cannot read /srv/w/5f…/A.cdc`: the connection's own is left out, so that
 * the path is as the client has it, and any other one becomes `…`. Folders have names that nobody can guess, so no text that somebody wrote is hit.
 */
export class FolderHider {
  readonly #root: string
  readonly #folder: string
  readonly #any: RegExp

  /** @param folder of the connection; those of others are beside it */
  constructor(folder: string) {
    this.#folder = folder
    this.#root = dirname(folder)
    this.#any = new RegExp(`${this.#root.replace(/[^\w/]/g, '\\$&')}(?:/[^/\\s"'\`<>(),;:]*)?`, 'g')
  }

  /** Whether a text of JSON names any folder. */
  isNamedIn(json: string): boolean {
    return json.includes(this.#root)
  }

  /** The value without them, names of properties included. */
  hide(value: unknown): unknown {
    if (typeof value === 'string') return this.#hideInText(value)
    if (Array.isArray(value)) return value.map((item) => this.hide(item))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.#hideInText(name), this.hide(item)]))
  }

  #hideInText(text: string): string {
    return text.includes(this.#root) ? text.replace(this.#any, (found) => (found === this.#folder ? '' : '…')) : text
  }
}
