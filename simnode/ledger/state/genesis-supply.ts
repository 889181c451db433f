import { keepersFirstBalance } from '../scheduled/alarm.ts'
import { nodeCount, ownersFirstBalance } from '../staking/stakers.ts'
import { pairs, reservesAtStart } from '../swaps/pairs.ts'
import { peopleCount, personOfTurn } from '../world/people.ts'
import { flow, systemAccounts, tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { genesisBalance } from './genesis-balance.ts'

/** What there was of a token before the first block: what all accounts had, in units of 10^-8. */
export function genesisSupply(token: Token): bigint {
  return (supplies ??= tokens.map(sum))[token.index] ?? 0n
}

let supplies: readonly bigint[] | undefined

function sum(token: Token): bigint {
  let total = 0n
  for (let turn = 0; turn < peopleCount; turn++) total += genesisBalance(token, personOfTurn(turn))
  for (const { contract } of pairs) total += reservesAtStart(token, contract)
  if (token === flow)
    total += genesisBalance(flow, systemAccounts.service) + BigInt(nodeCount) * ownersFirstBalance + keepersFirstBalance
  return total
}
