import type { Logger } from '../../../platform/log.ts'
import { asError, RetryableError } from '../../../platform/errors.ts'
import type { EditorNetwork } from '../../editor-network.ts'
import type { ChainReader } from '../../../flow/chain-reader.ts'
import type { ContractSource } from './contract-source.ts'

export interface NodeContractsOptions {
  /** A reader for each network that there is a node of. Asked for at each call, because a network may become known later. */
  readonly nodes: Readonly<Partial<Record<EditorNetwork, Pick<ChainReader, 'getAccount'>>>>
  readonly log: Logger
}

/** The contracts of accounts as access nodes have them in their newest state: one call gives all contracts of an account. */
export function createNodeContracts({ nodes, log }: NodeContractsOptions): ContractSource {
  return {
    async contractsOf(network, address, signal) {
      const node = nodes[network]
      if (node === undefined) {
        throw new RetryableError(
          'no-access-node',
          `no access node of ${network} is known, which imports would be read from: set EDITOR_${network.toUpperCase()}_NODE or CHAIN_ACCESS_NODE`,
        )
      }
      try {
        const account = await node.getAccount(`0x${address}`, { signal })
        return account === undefined
          ? undefined
          : new Map([...account.contracts].map(([name, code]) => [name, code.toString('utf8')]))
      } catch (thrown) {
        signal.throwIfAborted()
        if (thrown instanceof RetryableError) throw thrown
        const error = asError(thrown)
        log.warn({ err: error, network, address }, 'the contracts of an account could not be read')
        throw new RetryableError(
          'contracts-not-read',
          `no access node of ${network} gives the contracts of 0x${address}: ${error.message}`,
          { cause: error },
        )
      }
    },
  }
}
