import type { EventShape } from './event-shape.ts'

/** A row of raw.event_shapes. */
export interface StoredShape extends EventShape {
  readonly id: number
}

/** Shapes that are kept at most; a chain has some thousands. Full, it starts anew. */
const mostShapes = 100_000

/** The shapes of stored events by their number: these never change, so that each is read once. */
export class EventShapes {
  readonly #read: (ids: readonly number[]) => Promise<readonly StoredShape[]>
  #known = new Map<number, EventShape>()

  /** @param read those of raw.event_shapes with these numbers */
  constructor(read: (ids: readonly number[]) => Promise<readonly StoredShape[]>) {
    this.#read = read
  }

  /**
   * The shape of each number, of every list of them.
   * @throws Error where one is not stored: shapes are committed before their events, and never taken away
   */
  async ofAll(lists: readonly (readonly number[])[]): Promise<readonly (readonly EventShape[])[]> {
    const missing = new Set(lists.flat().filter((id) => !this.#known.has(id)))
    if (missing.size > 0) {
      const read = await this.#read([...missing])
      if (this.#known.size + read.length > mostShapes) return this.#readAnew(lists)
      for (const { id, type, fields } of read) this.#known.set(id, { type, fields })
    }
    return lists.map((ids) => ids.map((id) => stored(this.#known.get(id), id)))
  }

  async #readAnew(lists: readonly (readonly number[])[]): Promise<readonly (readonly EventShape[])[]> {
    const read = await this.#read([...new Set(lists.flat())])
    this.#known = new Map(read.map(({ id, type, fields }) => [id, { type, fields }]))
    const known = this.#known
    return lists.map((ids) => ids.map((id) => stored(known.get(id), id)))
  }
}

function stored(shape: EventShape | undefined, id: number): EventShape {
  if (shape === undefined) throw new Error(`raw.event_shapes has no row ${id}, which stored events name`)
  return shape
}
