import { pause } from '../../../src/platform/retry.ts'
import { blockId } from '../../../simnode/ledger/ledger-block.ts'
import type { LedgerChain } from '../../../simnode/ledger/ledger-chain.ts'
import { ledgerChain } from '../../../simnode/ledger/ledger-node.ts'
import { Branch } from '../../../simnode/ledger/world/branch.ts'
import type { ClockShape } from '../../../simnode/ledger/world/clock.ts'
import type { SimulatedNode } from './simulated-node.ts'

export interface DrivenChainOptions {
  readonly seed: number
  readonly nodes: readonly SimulatedNode[]
  readonly head: number
  readonly clock: ClockShape
}

/** The chain of a run: it grows, forks and halts, and updates its nodes. */
export class DrivenChain {
  readonly nodes: readonly SimulatedNode[]
  readonly #options: DrivenChainOptions
  /** Nodes that receive no new blocks. */
  readonly #behind = new Set<SimulatedNode>()
  #branch = new Branch('')
  #head: number
  /**
   * Everything up to here is stored and derived on this branch, so the API must return correct
   * data.
   */
  #settled = -1
  #forks = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: DrivenChainOptions) {
    this.#options = options
    this.nodes = options.nodes
    this.#head = options.head
  }

  get head(): number {
    return this.#head
  }

  get branch(): string {
    return this.#branch.name
  }

  /** Number of forks. */
  get forks(): number {
    return this.#forks
  }

  get settled(): number {
    return this.#settled
  }

  /** Id of the block at a height of the current branch, in hex. */
  blockId(height: number): string {
    return blockId({ seed: this.#options.seed, branch: this.#branch, busyness: 1 }, height).toString('hex')
  }

  /** The ledger of the current branch. */
  ledger(): LedgerChain {
    const { seed, clock } = this.#options
    return ledgerChain({ seed, clock, branch: this.branch })
  }

  /** Starts growth. */
  run(): void {
    this.#timer ??= setInterval(() => this.#grow(1), this.#options.clock.spacingMs)
  }

  /** Stops growth. */
  halt(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  burst(blocks: number): void {
    this.#grow(blocks)
  }

  /** Called by the observer: everything up to this height of this branch is complete. */
  settle(height: number, branch: string): void {
    if (branch === this.branch) this.#settled = Math.max(this.#settled, height)
  }

  /**
   * Switches to a new branch, which replaces the last `depth` blocks.
   * @param apartMs delay between the switches of the two nodes
   * @returns the last remaining height
   */
  async fork(depth: number, apartMs: number): Promise<number> {
    const after = Math.max(1, this.#head - depth)
    this.#branch = forkedBranch(this.#branch.name, after, this.#forks++)
    this.#settled = Math.min(this.#settled, after)
    const [first, ...others] = this.#forks % 2 === 0 ? this.nodes : this.nodes.toReversed()
    for (const other of others) if (apartMs > 0) this.#behind.add(other)
    if (first !== undefined) this.#update(first)
    if (apartMs > 0) await pause(apartMs)
    for (const other of others) this.catchUp(other)
    return after
  }

  /** The node receives no new blocks until `catchUp`. */
  leaveBehind(node: SimulatedNode): void {
    this.#behind.add(node)
  }

  catchUp(node: SimulatedNode): void {
    this.#behind.delete(node)
    this.#update(node)
  }

  #grow(blocks: number): void {
    this.#head += blocks
    for (const node of this.nodes) this.#update(node)
  }

  #update(node: SimulatedNode): void {
    if (!this.#behind.has(node)) node.serve({ branch: this.branch, head: this.#head })
  }
}

/** A branch that leaves another after a height; excludes forks above it. */
export function forkedBranch(name: string, after: number, number: number): Branch {
  const kept = name.split('.').filter((fork) => fork !== '' && Number.parseInt(fork, 10) < after)
  return new Branch([...kept, `${after}${lettersOf(number)}`].join('.'))
}

/** 0 is b, 24 is z, 25 is bb. */
function lettersOf(number: number): string {
  const letters = 'bcdefghijklmnopqrstuvwxyz'
  const rest = Math.floor(number / letters.length)
  return (rest === 0 ? '' : lettersOf(rest - 1)) + (letters[number % letters.length] ?? '')
}
