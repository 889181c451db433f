import type pg from 'pg'
import { collections } from '../../../src/simnode/ledger/world/collections.ts'
import { tokens } from '../../../src/simnode/ledger/world/tokens.ts'

/** Writes what the tokens and collections of the simulated chain are called, as the workers that ask the chain would. */
export async function tellNames(pool: pg.Pool): Promise<void> {
  for (const { name, title, symbol, contract } of tokens) {
    await pool.query(
      `insert into app.ft_token_metadata (token, name, symbol, status, asked_at) values ($1, $2, $3, 'answered', now())`,
      [`A.${contract.hex}.${name}`, title, symbol],
    )
  }
  for (const { name, title, contract } of collections) {
    await pool.query(
      `insert into app.nft_collection_metadata (token, name, status, asked_at) values ($1, $2, 'answered', now())`,
      [`A.${contract.hex}.${name}`, title],
    )
  }
}
