import { setField } from './payload-value.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'
import type { DecodedEvent } from './decoded-block.ts'

/**
 * What events of one kind share and is stored once: their type and the names of their fields, in the order of the node.
 * An update of the contract gives a type another shape. Undecodable events have the shape of their type without fields.
 */
export interface EventShape {
  readonly type: string
  readonly fields: readonly string[]
}

/** Fields by name, from their values in the order of the shape. */
export function fieldsOf({ fields }: EventShape, values: readonly PayloadValue[]): PayloadFields {
  const byName: PayloadFields = {}
  for (const [i, name] of fields.entries()) setField(byName, name, values[i] as PayloadValue)
  return byName
}

/** Text that is the same for equal shapes, and for no others. */
export function shapeText({ type, fields }: EventShape): string {
  return JSON.stringify([type, ...fields])
}

/** A row of raw.event_shapes. */
export interface StoredShape extends EventShape {
  readonly id: number
}

/** A chain has some thousands. */
const maxShapes = 100_000

/** The shapes of stored events by their number: these never change, so that each is read once. */
export class EventShapes {
  readonly #read: (ids: readonly number[]) => Promise<readonly StoredShape[]>
  readonly #max: number
  #known = new Map<number, EventShape>()

  /**
   * @param read those of raw.event_shapes with these numbers
   * @param max that are kept at most; full, it starts anew
   */
  constructor(read: (ids: readonly number[]) => Promise<readonly StoredShape[]>, max = maxShapes) {
    this.#read = read
    this.#max = max
  }

  /**
   * The shape of each number, of every list of them.
   * @throws Error where one is not stored: shapes are committed before their events, and never taken away
   */
  async ofAll(lists: readonly (readonly number[])[]): Promise<readonly (readonly EventShape[])[]> {
    // Who asks meanwhile may begin another map; this one keeps what it has.
    const known = this.#known
    const missing = new Set(lists.flat().filter((id) => !known.has(id)))
    if (missing.size > 0) {
      for (const { id, type, fields } of await this.#read([...missing])) known.set(id, { type, fields })
      if (known.size > this.#max && this.#known === known) this.#known = new Map()
    }
    return lists.map((ids) => ids.map((id) => stored(known.get(id), id)))
  }
}

function stored(shape: EventShape | undefined, id: number): EventShape {
  if (shape === undefined) throw new Error(`raw.event_shapes has no row ${id}, which stored events name`)
  return shape
}

/**
 * Maximum of events of a transaction in one row; rows begin at multiples of it. Fewer would pay 28 bytes and an index
 * entry more often, more would read too much for one event.
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
