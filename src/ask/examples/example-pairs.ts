import type { Network } from '../../chain/network.ts'
import type { QueryTarget } from '../query-service.ts'
import { accountPairs } from './account-pairs.ts'
import { blockPairs } from './block-pairs.ts'
import { contractPairs } from './contract-pairs.ts'
import { defiPairs } from './defi-pairs.ts'
import { evmExplorerPairs } from './evm-explorer-pairs.ts'
import { evmPairs } from './evm-pairs.ts'
import { inNetwork } from './example-pair.ts'
import type { ExamplePair } from './example-pair.ts'
import { itemPairs } from './item-pairs.ts'
import { stakingPairs } from './staking-pairs.ts'
import { tokenPairs } from './token-pairs.ts'

const pairsOf: Readonly<Record<QueryTarget, readonly ExamplePair[]>> = {
  indexer: [
    ...blockPairs,
    ...accountPairs,
    ...tokenPairs,
    ...itemPairs,
    ...contractPairs,
    ...defiPairs,
    ...stakingPairs,
    ...evmPairs,
  ],
  evm: evmExplorerPairs,
}

/** All pairs for one database, with the addresses of a network. Each is planned and run by the tests. */
export function examplePairs(target: QueryTarget, network: Network): ExamplePair[] {
  return inNetwork(pairsOf[target], network)
}
