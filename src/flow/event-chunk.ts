import type { DecodedEvent } from './decoded-block.ts'
import { fieldsOf } from './event-shape.ts'
import type { EventShape } from './event-shape.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'

/**
 * Events of a transaction that are stored in one row at most: a row has 28 bytes of its own and an entry in the index, and one of
 * thousands of events would have to be read whole for each of them. Rows begin at multiples of it.
 */
export const eventsPerChunk = 64

/** A row of raw.event_chunks. */
export interface EventChunk {
  readonly firstEventIndex: number
  /** Of each event. */
  readonly shapes: readonly EventShape[]
  /** JSON text: for each event the list of its values, null where it could not be decoded. */
  readonly payloads: string
}

/** The events of a row. Its text is read when the fields of one of them are asked for: most say all by their type. */
export function eventsOfChunk({ firstEventIndex, shapes, payloads }: EventChunk): readonly DecodedEvent[] {
  let values: readonly (PayloadValue[] | null)[] | undefined
  const valuesAt = (place: number): PayloadValue[] | null => {
    values ??= JSON.parse(payloads) as (PayloadValue[] | null)[]
    return values[place] ?? null
  }
  return shapes.map((shape, place) => new StoredEvent(shape, firstEventIndex + place, place, valuesAt))
}

class StoredEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  readonly #shape: EventShape
  readonly #place: number
  #valuesAt: ((place: number) => PayloadValue[] | null) | undefined
  #fields: PayloadFields | undefined

  constructor(shape: EventShape, index: number, place: number, valuesAt: (place: number) => PayloadValue[] | null) {
    this.type = shape.type
    this.index = index
    this.#shape = shape
    this.#place = place
    this.#valuesAt = valuesAt
  }

  get fields(): PayloadFields | undefined {
    if (this.#valuesAt !== undefined) {
      const values = this.#valuesAt(this.#place)
      if (values !== null) this.#fields = fieldsOf(this.#shape, values)
      this.#valuesAt = undefined
    }
    return this.#fields
  }
}
