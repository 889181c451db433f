import { setField } from './payload-value.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'
import type { DecodedEvent } from './decoded-block.ts'

/**
 * Fields in the node's order. A contract update can give a type another shape. Undecodable events
 * have no fields.
 */
export interface EventShape {
  readonly type: string
  readonly fields: readonly string[]
}

export function fieldsOf({ fields }: EventShape, values: readonly PayloadValue[]): PayloadFields {
  const byName: PayloadFields = {}
  for (const [i, name] of fields.entries()) setField(byName, name, values[i] as PayloadValue)
  return byName
}

export function shapeText({ type, fields }: EventShape): string {
  return JSON.stringify([type, ...fields])
}

export interface StoredShape extends EventShape {
  readonly id: number
}

/** A chain has some thousands. */
const maxShapes = 100_000

/** Shapes never change. */
export class EventShapes {
  readonly #read: (ids: readonly number[]) => Promise<readonly StoredShape[]>
  readonly #max: number
  #known = new Map<number, EventShape>()

  /** @param max limit; a full cache is cleared */
  constructor(read: (ids: readonly number[]) => Promise<readonly StoredShape[]>, max = maxShapes) {
    this.#read = read
    this.#max = max
  }

  /** @throws Error if one is not stored: shapes are committed before their events */
  async ofAll(lists: readonly (readonly number[])[]): Promise<readonly (readonly EventShape[])[]> {
    // A concurrent call may replace the map; this one keeps using its own.
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
  if (shape === undefined) throw new Error(`Could not read event shape ${id}: raw.event_shapes has no such row`)
  return shape
}

/**
 * Rows start at multiples of it. Each row costs 28 bytes and an index entry; larger rows read too
 * much for a single event.
 */
export const eventsPerChunk = 64

export interface EventChunk {
  readonly firstEventIndex: number
  readonly shapes: readonly EventShape[]
  /** JSON text; null for an undecodable event. */
  readonly payloads: string
}

/** Parses the text on first use: most events are recognized by type alone. */
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
