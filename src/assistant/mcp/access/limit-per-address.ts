import { clientNetwork } from '../../../platform/client-network.ts'

/** What one address has under way. */
interface Under {
  running: number
  readonly waiting: (() => void)[]
}

/** Does at most so many things of one address, or of one network of IPv6, at the same time; the others wait in the order in which they came. */
export class LimitPerAddress {
  readonly #most: number
  readonly #underWay = new Map<string, Under>()

  constructor(most: number) {
    this.#most = most
  }

  async run<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const client = clientNetwork(address)
    const under = this.#underWay.get(client) ?? { running: 0, waiting: [] }
    this.#underWay.set(client, under)
    if (under.running < this.#most) under.running++
    else await new Promise<void>((resolve) => under.waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The turn goes straight to the one that waits longest.
      const next = under.waiting.shift()
      if (next !== undefined) next()
      else if (--under.running === 0) this.#underWay.delete(client)
    }
  }
}
