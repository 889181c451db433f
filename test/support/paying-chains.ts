import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { emulatorProgram, startFlowEmulator } from './flow-emulator.ts'
import { testPayer } from './node-client.ts'
import type { TestSigner } from './node-client.ts'

/** A chain that makes blocks by itself, with somebody on it who pays for accounts. */
export interface PayingChain {
  /** As CHAIN_ACCESS_NODE has it. */
  readonly endpoint: string
  readonly restUrl: string
  readonly payer: TestSigner
  /** As WALLET_TESTNET_PAYER has it. */
  readonly payerSetting: string
  /** What follows it best. */
  readonly variables: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/**
 * The chains that the wallet and the editor are tried on: our own, and one of flow-go where FLOWFARM_EMULATOR names a
 * Flow emulator, which is skipped without.
 */
export const payingChains: readonly {
  readonly name: string
  readonly start: (test: Mocha.Context) => Promise<PayingChain>
}[] = [
  {
    name: 'the simulated chain',
    start: async () => {
      const node = await startLedgerNode({ seed: 11, head: 330, hasPayer: true, hasRest: true, intervalMs: 200 })
      return {
        endpoint: node.endpoint,
        restUrl: node.restUrl,
        payer: testPayer(),
        payerSetting: publishedPayerSetting,
        variables: { START_BLOCK: '325', ENABLE_HISTORY_INGESTER: 'false' },
        stop: () => node.stop(),
      }
    },
  },
  {
    name: 'a Flow emulator',
    start: async (test) => {
      const program = emulatorProgram()
      if (program === undefined) return test.skip()
      const emulator = await startFlowEmulator(program, { blockMs: 200 })
      return { ...emulator, payer: emulator.service, variables: {} }
    },
  },
]
