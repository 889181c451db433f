/** The newest so many values, made when they are first asked for. */
export class KeptRecently<Key, Value> {
  readonly #limit: number
  readonly #values = new Map<Key, Value>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The value of a key, made where it is not kept. */
  get(key: Key, make: () => Value): Value {
    const kept = this.#values.get(key)
    if (kept !== undefined) return kept
    const made = make()
    this.#values.set(key, made)
    if (this.#values.size > this.#limit) {
      for (const oldest of this.#values.keys()) {
        this.#values.delete(oldest)
        break
      }
    }
    return made
  }

  /** The value of a key if it is kept. */
  peek(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  values(): IterableIterator<Value> {
    return this.#values.values()
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }
}
