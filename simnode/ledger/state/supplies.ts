import type { Token } from '../world/tokens.ts'
import { tokens } from '../world/tokens.ts'
import type { StatePart } from './state-part.ts'

/** How much of each token there is, in units of 10^-8. */
export class Supplies implements StatePart {
  readonly #start: (token: Token) => bigint
  readonly #changes = new Map<Token, bigint>()

  /** @param start the supply at the start of the tide */
  constructor(start: (token: Token) => bigint) {
    this.#start = start
  }

  of(token: Token): bigint {
    return this.#start(token) + (this.#changes.get(token) ?? 0n)
  }

  /** @param amount negative where tokens are burnt */
  add(token: Token, amount: bigint): void {
    this.#changes.set(token, (this.#changes.get(token) ?? 0n) + amount)
  }

  *touched(): Generator<string> {
    for (const { index } of this.#changes.keys()) yield String(index)
  }

  read(key: string): string {
    return String(this.of(tokens[Number(key)] as Token))
  }
}
