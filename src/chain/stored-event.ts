import type { DecodedEvent } from './decoded-block.ts'
import type { PayloadFields } from './payload-value.ts'

/** An event as the raw tables hold it. Its JSON text is read when its fields are asked for: most say all by their type. */
export class StoredEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  #payload: string | null
  #fields: PayloadFields | undefined

  /** @param payload JSON text; null where ingest could not decode it */
  constructor(type: string, index: number, payload: string | null) {
    this.type = type
    this.index = index
    this.#payload = payload
  }

  get fields(): PayloadFields | undefined {
    if (this.#payload !== null) {
      this.#fields = JSON.parse(this.#payload) as PayloadFields
      this.#payload = null
    }
    return this.#fields
  }
}
