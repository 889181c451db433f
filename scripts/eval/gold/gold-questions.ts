import { withAddresses } from '../../../src/ask/examples/example-pair.ts'
import type { Network } from '../../../src/chain/network.ts'
import { accountGold } from './account-gold.ts'
import { chainGold } from './chain-gold.ts'
import { evmExplorerGold } from './evm-explorer-gold.ts'
import type { GoldQuestion } from './gold-question.ts'
import { stakingGold } from './staking-gold.ts'
import { tokenGold } from './token-gold.ts'

/** All questions of the evaluation, with the addresses that the core contracts have in a network. */
export function goldQuestions(network: Network): GoldQuestion[] {
  return [...chainGold, ...accountGold, ...tokenGold, ...stakingGold, ...evmExplorerGold].map((gold) => {
    const [first, ...others] = gold.accepted
    return { ...gold, accepted: [withAddresses(first, network), ...others.map((sql) => withAddresses(sql, network))] }
  })
}
