import { createHash } from 'node:crypto'
import type { Pool } from 'pg'

/** A contract of a generated chain. */
export interface GeneratedContract {
  /** A.<address>.<name> */
  readonly contract: string
  readonly kind: 'FT' | 'NFT' | 'CONTRACT'
  /** A.<address>.<name> each. */
  readonly imports: readonly string[]
  /** Null: it was deployed before the first block. */
  readonly created: number | null
  readonly updated: number
  readonly isRemoved: boolean
  /** Whether its code is missing. */
  readonly isUnknown: boolean
}

/**
 * Contracts 0 to `count` - 1, several per account and per block. Each imports some earlier ones,
 * most often the first. Every 11th was deployed before the first block, every 13th is removed, and
 * every 17th has no known code.
 */
export function generateContracts(count: number): GeneratedContract[] {
  const nameOf = (i: number): string =>
    `A.${(0x1000 + Math.floor(i / 4)).toString(16).padStart(16, '0')}.${i % 5 === 0 ? 'Token' : 'Thing'}_${i}`
  return Array.from({ length: count }, (_, i) => ({
    contract: nameOf(i),
    kind: i % 5 === 0 ? 'FT' : i % 7 === 0 ? 'NFT' : 'CONTRACT',
    imports: [...new Set([Math.floor(i / 2), Math.floor(i / 10), i - 1])]
      .filter((j) => j >= 0 && j < i)
      .map(nameOf)
      .toSorted(),
    created: i % 11 === 0 ? null : 1000 + Math.floor(i / 3),
    updated: 2000 + ((i * 7) % count),
    isRemoved: i % 13 === 12,
    isUnknown: i % 17 === 16,
  }))
}

/** Source of a made contract. */
export function generatedCode({ contract }: GeneratedContract): string {
  return `access(all) contract ${contract.split('.')[2]} { access(all) event Done() }`
}

/** Stores contracts like the worker and the code lookup. */
export async function storeContracts(pool: Pool, contracts: readonly GeneratedContract[]): Promise<void> {
  const rows = contracts.map((one, i) => {
    const [, digits, name] = one.contract.split('.')
    const code = generatedCode(one)
    return {
      ...one,
      address: `0x${digits}`,
      name,
      code,
      hash: createHash('sha3-256').update(code).digest('hex'),
      place: i,
    }
  })
  await pool.query(
    `
    with made as (
      select * from jsonb_to_recordset($1) as m (address text, name text, kind text, imports text[], created bigint,
        updated bigint, "isRemoved" boolean, "isUnknown" boolean, code text, hash text, place int)
    ), codes as (
      insert into app.contract_code (code_hash, code, kind, imports, found_in)
      select decode(hash, 'hex'), code, kind, imports, 'chain' from made where not "isUnknown"
    )
    insert into app.smart_contracts (
      address, name, created_height, created_tx_index, updated_height, updated_tx_index, updated_event_index, is_removed, code_hash
    )
    select address, name, created, case when created is not null then 1 end, updated, 2, place, "isRemoved", decode(hash, 'hex') from made
  `,
    [JSON.stringify(rows)],
  )
}
