import type { ToldBlock } from './told-block.ts'

/** A block by what tells it from others and joins it to the one below. */
export type BlockLink = Pick<ToldBlock, 'height' | 'id' | 'parentId'>

/**
 * Ids of the newest blocks that clients have, as deep as a reorganization may reach: those that they were given here, and those below,
 * which others may have given them.
 */
export class RememberedBlocks {
  readonly #depth: number
  readonly #ids = new Map<number, string>()
  #highest = -1

  constructor(depth: number) {
    this.#depth = depth
  }

  /** By height, in no order. */
  get all(): readonly (readonly [height: number, id: string])[] {
    return [...this.#ids]
  }

  add({ height, id }: Pick<BlockLink, 'height' | 'id'>): void {
    if (height <= this.#highest - this.#depth) return
    this.#ids.set(height, id)
    if (height <= this.#highest) return
    const lowest = height - this.#depth + 1
    if (height === this.#highest + 1) this.#ids.delete(lowest - 1)
    else for (const old of this.#ids.keys()) if (old < lowest) this.#ids.delete(old)
    this.#highest = height
  }

  /** Blocks that are stored: those of which nothing is remembered yet. */
  fill(ids: ReadonlyMap<number, string>): void {
    for (const [height, id] of ids) if (!this.#ids.has(height)) this.add({ height, id })
  }

  /** Blocks from a height up were taken back. */
  takeBack(from: number): void {
    for (const height of this.#ids.keys()) if (height >= from) this.#ids.delete(height)
    this.#highest = Math.min(this.#highest, from - 1)
  }

  /** Whether blocks, the lowest first, are or follow those that are remembered, and each other. */
  isFollowedBy(blocks: readonly BlockLink[]): boolean {
    return blocks.every(({ height, id, parentId }, i) => {
      const before = blocks[i - 1]
      const below = before?.height === height - 1 ? before.id : this.#ids.get(height - 1)
      return (this.#ids.get(height) ?? id) === id && (below ?? parentId) === parentId
    })
  }
}
