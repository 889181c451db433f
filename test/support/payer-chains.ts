import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { emulatorProgram, startFlowEmulator } from './flow-emulator.ts'
import { testPayer } from './node-client.ts'
import type { TestSigner } from './node-client.ts'

/** A chain with automatic block production, and a payer of accounts. */
export interface PayerChain {
  /** In the format of CHAIN_ACCESS_NODE. */
  readonly endpoint: string
  readonly restUrl: string
  readonly payer: TestSigner
  /** In the format of WALLET_TESTNET_PAYER. */
  readonly payerSetting: string
  /** Recommended settings to follow it. */
  readonly variables: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/**
 * The chains for wallet and editor tests: the simulated chain, and the Flow emulator at
 * FLOWFARM_EMULATOR, skipped if unset.
 */
export const payerChains: readonly {
  readonly name: string
  readonly start: (test: Mocha.Context) => Promise<PayerChain>
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
