import { forkOf } from './mark.ts'

/** Blocks that were taken back and are remembered. */
const mostForks = 2000

/** Blocks that were told and taken back, with the lowest height that is no longer as it was when they were told. */
export class KnownForks {
  readonly #points = new Map<string, number>()

  /** Blocks from a height up were taken back, these among them. */
  add(from: number, blocks: Iterable<readonly [height: number, id: string]>): void {
    for (const [key, point] of this.#points) if (point > from) this.#points.set(key, from)
    for (const [height, id] of blocks) if (height >= from) this.#points.set(`${height}.${forkOf(id)}`, from)
    for (const key of this.#points.keys()) {
      if (this.#points.size <= mostForks) break
      this.#points.delete(key)
    }
  }

  /** @param fork how the id of the block begins that was taken back */
  pointOf(height: number, fork: string): number | undefined {
    return this.#points.get(`${height}.${fork}`)
  }
}
