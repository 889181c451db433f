import type { TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import type { ExternalAccounts } from '../state/external-accounts.ts'
import type { Branch } from '../world/branch.ts'

export interface Submission {
  /** 32 bytes. */
  readonly id: Buffer
  readonly body: TransactionBody
}

/** Submissions in the blocks that a branch owns. */
interface Chapter {
  /** Ascending. */
  readonly heights: number[]
  readonly byHeight: Map<number, readonly Submission[]>
  readonly heightsOfIds: Map<string, number>
  /** The highest block that clients may have seen. */
  shown: number
}

/**
 * Branches share submissions where they share the block. A block that clients may have seen gets no
 * more.
 */
export class Journal {
  readonly #chapters = new Map<string, Chapter>()
  /** After the last block with a submission, by branch and height. */
  readonly #settled = new Map<string, ExternalAccounts>()
  /** In order; earlier results for these blocks are void. */
  readonly changes: number[] = []

  at(branch: Branch, height: number): readonly Submission[] {
    return this.#chapters.get(branch.ownerAt(height))?.byHeight.get(height) ?? []
  }

  lastBelow(branch: Branch, height: number): number | undefined {
    for (const { name, to } of branch.owners.toReversed()) {
      const found = this.#chapters.get(name)?.heights.findLast((one) => one <= to && one < height)
      if (found !== undefined) return found
    }
    return undefined
  }

  settled(branch: Branch, height: number, make: () => ExternalAccounts): ExternalAccounts {
    const key = `${branch.ownerAt(height)} ${height}`
    const kept = this.#settled.get(key)
    if (kept !== undefined) return kept
    const made = make()
    this.#settled.set(key, made)
    return made
  }

  /** @param id hex */
  heightOf(branch: Branch, id: string): number | undefined {
    for (const { name, to } of branch.owners) {
      const height = this.#chapters.get(name)?.heightsOfIds.get(id)
      if (height !== undefined && height <= to) return height
    }
    return undefined
  }

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

  include(branch: Branch, height: number, submissions: readonly Submission[]): void {
    const chapter = this.#chapter(branch.ownerAt(height))
    chapter.heights.push(height)
    chapter.byHeight.set(height, submissions)
    for (const { id } of submissions) chapter.heightsOfIds.set(id.toString('hex'), height)
    this.changes.push(height)
  }

  /** Clients can see blocks up to a height. */
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
