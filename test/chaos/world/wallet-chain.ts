import type { Fault } from '../../../simnode/node/faults.ts'
import { SimulatedNode } from './simulated-node.ts'

export interface WalletChainOptions {
  readonly seed: number
  readonly logFolder: string
  readonly run: string
}

/** Faster than the followed chain: an account takes a block or two. */
const intervalMs = 200
const history = 50

/**
 * The chain on which the wallet creates accounts: one node with the published payer. Transactions
 * exist only on the node of the simulated chain that received them, so this node is not killed, has
 * no forks and is separate from the followed chain.
 */
export class WalletChain {
  readonly #node: SimulatedNode
  #head = history
  #timer: NodeJS.Timeout | undefined

  private constructor(node: SimulatedNode) {
    this.#node = node
  }

  static async start({ seed, logFolder, run }: WalletChainOptions): Promise<WalletChain> {
    const clock = { height: 0, time: new Date(Date.now() - history * intervalMs), spacingMs: intervalMs }
    const node = new SimulatedNode(
      { name: 'wallet-node', seed: seed + 1, clock, logFolder, run, hasPayer: true },
      { branch: '', head: history },
    )
    await node.start()
    const chain = new WalletChain(node)
    chain.#timer = setInterval(() => chain.grow(1), intervalMs)
    return chain
  }

  get endpoint(): string {
    return this.#node.endpoint
  }

  grow(blocks: number): void {
    this.#head += blocks
    this.#node.serve({ branch: '', head: this.#head })
  }

  /** Resolves when it has all blocks announced to it. */
  async settled(): Promise<void> {
    await this.#node.settled()
  }

  async inject(fault: Fault): Promise<void> {
    await this.#node.inject(fault)
  }

  async clearFaults(): Promise<void> {
    await this.#node.clearFaults()
  }

  freeze(): void {
    this.#node.freeze()
  }

  thaw(): void {
    this.#node.thaw()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.thaw()
    await this.#node.stop()
  }
}
