import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'

/** Identifiers with the start of the shortened one that are compared with its end. */
const maxScanned = 20_000

const maxPerType = 5

/** A public key has 96 bytes. */
const maxDigits = 192

const newestHeights = 50_000

const shortIdRow = z.object({
  type: z.enum([
    'account',
    'block',
    'transaction',
    'evm_transaction',
    'evm_address',
    'evm_token',
    'public_key',
    'node',
  ]),
  /** Hex digits. */
  id: z.string(),
  block_height: z.number().nullable(),
})
type ShortIdRow = z.output<typeof shortIdRow>

interface ShortId {
  readonly start: string
  readonly end: string
}

/**
 * Reads ranges of indexes. Transaction ids and EVM hashes have hash indexes, which find complete ones only, so
 * shortened ones are looked for in the newest transactions.
 */
export async function findShortIds(
  database: DatabasePool,
  shortId: ShortId,
  bounds: Bounds | undefined,
): Promise<readonly ShortIdRow[]> {
  const selections = sourcesOf(shortId, bounds?.max ?? 0).map(
    ({ type, digits, rows }) => sql.fragment`(
      select ${type}::text as type, ${digits} as id, max(height) as block_height
      from (${rows} limit ${maxScanned}) s
      where right(${digits}, ${shortId.end.length}) = ${shortId.end}
      group by key order by block_height desc nulls last, id limit ${maxPerType}
    )`,
  )
  // Values, not parameters of a prepared statement: the planner must know how many rows a range has.
  return database.any(sql.type(shortIdRow)`${sql.join(selections, sql.fragment` union all `)}`)
}

interface Source {
  readonly type: ShortIdRow['type']
  readonly digits: FragmentSqlToken
  /** Columns `key` and `height`. */
  readonly rows: FragmentSqlToken
}

const text = sql.fragment`key`
const prefixed = sql.fragment`substr(key, 3)`
const bytes = sql.fragment`encode(key, 'hex')`

function sourcesOf({ start }: ShortId, newest: number): readonly Source[] {
  const end = start.padEnd(maxDigits, 'f')
  const inText = (prefix: string): FragmentSqlToken => sql.fragment`between ${prefix + start} and ${prefix + end}`
  const inBytes = sql.fragment`
    between ${sql.binary(Buffer.from(start.length % 2 === 0 ? start : `${start}0`, 'hex'))}
    and ${sql.binary(Buffer.from(end, 'hex'))}
  `
  const inRange = (table: string, key: string, range: FragmentSqlToken): FragmentSqlToken => {
    const column = sql.identifier([key])
    const from = sql.identifier(['app', table])
    return sql.fragment`select ${column} as key, null::int8 as height from ${from} where ${column} ${range} order by 1`
  }
  const inNewest = (table: FragmentSqlToken, key: FragmentSqlToken, range: FragmentSqlToken): FragmentSqlToken =>
    sql.fragment`
      select * from (
        select ${key} as key, block_height as height from ${table}
        where block_height between ${newest - newestHeights} and ${newest}
        order by block_height desc, tx_index desc limit ${maxScanned}
      ) n where key ${range}
    `
  return [
    { type: 'account', digits: prefixed, rows: inRange('accounts', 'address', inText('0x')) },
    {
      type: 'block',
      digits: bytes,
      rows: sql.fragment`select id as key, height from raw.block_lookup where id ${inBytes} order by id`,
    },
    {
      type: 'transaction',
      digits: bytes,
      rows: inNewest(sql.fragment`raw.transactions`, sql.fragment`id`, inBytes),
    },
    {
      type: 'evm_transaction',
      digits: text,
      rows: inNewest(sql.fragment`app.evm_tx_hashes`, sql.fragment`evm_hash`, inText('')),
    },
    { type: 'evm_token', digits: text, rows: inRange('evm_tokens', 'token', inText('')) },
    { type: 'evm_address', digits: text, rows: inRange('evm_token_holdings', 'address', inText('')) },
    { type: 'evm_address', digits: prefixed, rows: inRange('coa_accounts', 'coa_address', inText('0x')) },
    { type: 'public_key', digits: bytes, rows: inRange('account_keys', 'public_key', inBytes) },
    { type: 'node', digits: text, rows: inRange('staking_nodes', 'node_id', inText('')) },
    { type: 'node', digits: text, rows: inRange('staking_node_info', 'node_id', inText('')) },
  ]
}
