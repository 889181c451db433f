import type { FeedMessage } from './feed-client.ts'

/** The state of a correct feed client: each height once, without rolled-back blocks. */
export class ClientChain {
  /** Block ids by height. */
  readonly blocks = new Map<number, string>()
  /** Transaction ids by height. */
  readonly transactions = new Map<number, string[]>()
  /** Heights from which blocks were rolled back. */
  readonly rollbacks: number[] = []
  /** The cursor of the last message. */
  mark: string | undefined

  /** @throws if a block is repeated or out of order */
  accept({ type, seq, payload }: FeedMessage): void {
    if (seq !== undefined) this.mark = seq
    if (type === 'rollback') this.#rollBack(Number(payload['from_height']))
    if (type === 'new_block')
      this.#addBlock(Number(payload['height']), String(payload['id']), String(payload['parent_id']))
    if (type === 'new_transaction') this.#addTransaction(Number(payload['block_height']), String(payload['id']))
  }

  #rollBack(from: number): void {
    this.rollbacks.push(from)
    for (const byHeight of [this.blocks, this.transactions])
      for (const height of byHeight.keys()) if (height >= from) byHeight.delete(height)
  }

  #addBlock(height: number, id: string, parent: string): void {
    if (this.blocks.has(height)) throw new Error(`block ${height} came twice`)
    const last = Math.max(...this.blocks.keys())
    if (this.blocks.size > 0 && height !== last + 1) throw new Error(`block ${height} came after ${last}`)
    if (this.blocks.size > 0 && this.blocks.get(last) !== parent)
      throw new Error(`block ${height} does not follow the one before`)
    this.blocks.set(height, id)
  }

  #addTransaction(height: number, id: string): void {
    const ids = this.transactions.get(height) ?? []
    if (ids.includes(id)) throw new Error(`transaction ${id} came twice`)
    this.transactions.set(height, [...ids, id])
  }
}
