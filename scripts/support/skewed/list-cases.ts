import { accountCases } from './list-cases/accounts.ts'
import { evmCases } from './list-cases/evm.ts'
import { nftCases } from './list-cases/nfts.ts'
import { numberCases } from './list-cases/numbers.ts'
import { stakeAndTradeCases } from './list-cases/stake-and-trade.ts'
import { tokenCases } from './list-cases/tokens.ts'
import { transactionCases } from './list-cases/transactions.ts'
import type { ListCase } from './list-case.ts'

/** Every list of the API that has pages, with each of its filters: of what is busy, of what is seldom seen, of what is nearly empty. */
export const listCases: readonly ListCase[] = [
  ...transactionCases,
  ...tokenCases,
  ...nftCases,
  ...evmCases,
  ...accountCases,
  ...numberCases,
  ...stakeAndTradeCases,
]
