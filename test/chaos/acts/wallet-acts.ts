import type { WalletNodeAct } from '../plan/act.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import type { Underway } from './underway.ts'

/** More than a transaction may be behind its reference block, with what nodes add to that. */
const expiryBlocks = 700

export async function disturbWalletNode({ walletChain }: ChaosWorld, { how }: WalletNodeAct): Promise<Underway> {
  if (how === 'freeze') {
    walletChain.freeze()
    return {
      words: 'the node of the wallet\'s chain stood still (SIGSTOP), and went on',
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
        walletChain.grow(expiryBlocks)
        await walletChain.settled()
        await walletChain.clearFaults()
      },
    }
  }
  await walletChain.inject(how)
  return { words: `the node of the wallet's chain had the fault ${JSON.stringify(how)}`, end: () => walletChain.clearFaults() }
}
