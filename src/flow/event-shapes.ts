import type { EventShape } from './event-shape.ts'

/** A row of raw.event_shapes. */
export interface StoredShape extends EventShape {
  readonly id: number
}

/** A chain has some thousands. */
const mostShapes = 100_000

/** The shapes of stored events by their number: these never change, so that each is read once. */
export class EventShapes {
  readonly #read: (ids: readonly number[]) => Promise<readonly StoredShape[]>
  readonly #most: number
  #known = new Map<number, EventShape>()

  /**
   * @param read those of raw.event_shapes with these numbers
   * @param most that are kept at most; full, it starts anew
   */
  constructor(read: (ids: readonly number[]) => Promise<readonly StoredShape[]>, most = mostShapes) {
    this.#read = read
    this.#most = most
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
      if (known.size > this.#most && this.#known === known) this.#known = new Map()
    }
    return lists.map((ids) => ids.map((id) => stored(known.get(id), id)))
  }
}

function stored(shape: EventShape | undefined, id: number): EventShape {
  if (shape === undefined) throw new Error(`raw.event_shapes has no row ${id}, which stored events name`)
  return shape
}
