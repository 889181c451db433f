import { pause } from '../../../src/platform/retry.ts'
import type { WalletNodeAct } from '../plan/act.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import type { Underway } from './underway.ts'

/** More than a transaction may be behind its reference block, with what nodes add to that. */
const expiryBlocks = 700

/** How long people are waited for to ask for accounts, so that there is something that can expire. */
const wantedWithinMs = 5000

/** How many transactions the wallet has under way; undefined while the database does not answer. */
async function underWay({ postgres }: ChaosWorld): Promise<number | undefined> {
  if (!postgres.isUp) return undefined
  try {
    const {
      rows: [row],
    } = await postgres.pool.query<{ count: number }>(
      'select count(*)::int as count from wallet.payer_transactions where outcome is null',
    )
    return row?.count
  } catch {
    return undefined
  }
}

export async function disturbWalletNode(world: ChaosWorld, { how }: WalletNodeAct): Promise<Underway> {
  const { walletChain } = world
  if (how === 'freeze') {
    walletChain.freeze()
    return {
      words: "the node of the wallet's chain stood still (SIGSTOP), and went on",
      end: async () => {
        walletChain.thaw()
        await walletChain.settled()
      },
    }
  }
  if (how === 'expire') {
    await walletChain.inject({ kind: 'status', code: 'UNAVAILABLE', methods: ['SendTransaction'] })
    return {
      words: `the node of the wallet's chain took no transaction, and then made ${expiryBlocks} blocks at once`,
      end: async () => {
        const giveUpAt = performance.now() + wantedWithinMs
        while (performance.now() < giveUpAt && (await underWay(world)) === 0) await pause(20)
        walletChain.grow(expiryBlocks)
        await walletChain.settled()
        await walletChain.clearFaults()
      },
    }
  }
  await walletChain.inject(how)
  return {
    words: `the node of the wallet's chain had the fault ${JSON.stringify(how)}`,
    end: () => walletChain.clearFaults(),
  }
}
