import type { TransactionBody } from '../../../src/flow/transaction-body.ts'
import type { ExternalAccounts } from '../state/external-accounts.ts'
import type { Branch } from '../world/branch.ts'

/** A transaction that somebody has sent to the node. */
export interface Submission {
  /** 32 bytes. */
  readonly id: Buffer
  readonly body: TransactionBody
}

/** What was sent for the blocks that one branch has for itself. */
interface Chapter {
  /** Heights with transactions, from the lowest on. */
  readonly heights: number[]
  readonly byHeight: Map<number, readonly Submission[]>
  /** Hex of a transaction's id: its height. */
  readonly heightsOfIds: Map<string, number>
  /** The highest block that anybody may have seen. */
  shown: number
}

/**
 * All transactions that were sent to a node and have come into blocks, by the branch and height of the block: a branch shares them where it shares the
 * block, and knows nothing of those that came after it left. A block that may have been seen gets no more.
 */
export class Journal {
  readonly #chapters = new Map<string, Chapter>()
  /** By branch and height: what people outside had done after the last block with a transaction that was sent. */
  readonly #settled = new Map<string, ExternalAccounts>()
  /** Heights that have got transactions, in the order in which they did: what was made of such blocks before is void. */
  readonly changes: number[] = []

  at(branch: Branch, height: number): readonly Submission[] {
    return this.#chapters.get(branch.ownerAt(height))?.byHeight.get(height) ?? []
  }

  /** The highest block below a height that has transactions that were sent. */
  lastBelow(branch: Branch, height: number): number | undefined {
    for (const { name, to } of branch.owners.toReversed()) {
      const found = this.#chapters.get(name)?.heights.findLast((one) => one <= to && one < height)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** What people outside had done after a block that has such transactions; made when it is first asked for. */
  settled(branch: Branch, height: number, make: () => ExternalAccounts): ExternalAccounts {
    const key = `${branch.ownerAt(height)} ${height}`
    const kept = this.#settled.get(key)
    if (kept !== undefined) return kept
    const made = make()
    this.#settled.set(key, made)
    return made
  }

  /** The height of the block that a transaction has come into. @param id hex */
  heightOf(branch: Branch, id: string): number | undefined {
    for (const { name, to } of branch.owners) {
      const height = this.#chapters.get(name)?.heightsOfIds.get(id)
      if (height !== undefined && height <= to) return height
    }
    return undefined
  }

  /** The lowest block above a height that nobody has seen. */
  firstUnseen(branch: Branch, above: number): number {
    let height = above + 1
    for (;;) {
      const shown = this.#chapters.get(branch.ownerAt(height))?.shown ?? -1
      const to = branch.owners.find(({ name }) => name === branch.ownerAt(height))?.to ?? height
      const next = Math.max(height, Math.min(shown, to) + 1)
      if (next === height) return height
      height = next
    }
  }

  /** Puts transactions into a block that nobody has seen. */
  include(branch: Branch, height: number, submissions: readonly Submission[]): void {
    const chapter = this.#chapter(branch.ownerAt(height))
    chapter.heights.push(height)
    chapter.byHeight.set(height, submissions)
    for (const { id } of submissions) chapter.heightsOfIds.set(id.toString('hex'), height)
    this.changes.push(height)
  }

  /** Blocks up to a height can be seen from now on. */
  show(branch: Branch, head: number): void {
    for (const { name, to } of branch.owners) {
      const chapter = this.#chapter(name)
      chapter.shown = Math.max(chapter.shown, Math.min(to, head))
      if (to >= head) return
    }
  }

  #chapter(name: string): Chapter {
    let chapter = this.#chapters.get(name)
    if (chapter === undefined)
      this.#chapters.set(name, (chapter = { heights: [], byHeight: new Map(), heightsOfIds: new Map(), shown: -1 }))
    return chapter
  }
}
