import { pino } from 'pino'
import { createChainReader } from '../../../src/access/create-chain-reader.ts'
import type { ContractSource } from '../../../src/editor/imports/account-cache.ts'
import { createNodeContracts } from '../../../src/editor/imports/account-cache.ts'
import { startRecordedNode } from '../../support/replay.ts'

/** Contracts of the recorded chain, fetched from a replay node. */
export interface RecordedContracts extends AsyncDisposable {
  readonly source: ContractSource
  /** Requested addresses, in order. */
  readonly requested: readonly string[]
}

export async function startRecordedContracts(): Promise<RecordedContracts> {
  const log = pino({ level: 'silent' })
  const node = await startRecordedNode('base')
  const reader = createChainReader({ liveEndpoints: [node.endpoint], log })
  const inner = createNodeContracts({ nodes: { emulator: reader }, log })
  const requested: string[] = []
  return {
    requested,
    source: {
      async contractsOf(network, address, signal) {
        requested.push(address)
        return inner.contractsOf(network, address, signal)
      },
    },
    async [Symbol.asyncDispose]() {
      await reader.close()
      await node.stop()
    },
  }
}
