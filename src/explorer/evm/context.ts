import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { abiSignatureSchema } from '../../flow/evm/abi-signature.ts'
import type { EvmLog } from '../../flow/evm/evm-logs.ts'
import { keccak256 } from '../../flow/evm/keccak256.ts'
import { selectorsOfName } from '../../flow/evm/known-abi.ts'
import { readRecent } from '../paging/bounds.ts'
import { describeEvmAddresses, maxMethods } from './queries.ts'
import { callKeyOf, logKeyOf, partiesOf } from './schema.ts'
import type { EvmContext, EvmTransactionRow, VerifiedSignatures } from './schema.ts'

const signatureRow = z.object({ address: z.string(), selector: z.string(), signature: abiSignatureSchema })

/** Of verified contracts. @param keys `<address> <selector>` */
async function readSignatures(database: DatabasePool, keys: readonly string[]): Promise<VerifiedSignatures> {
  return readRecent(database, 'evm signatures', keys, async (missing) => {
    const [addresses, selectors] = [0, 1].map((part) => missing.map((key) => key.split(' ')[part] ?? ''))
    const rows = await database.any(sql.type(signatureRow)`
      select s.address, s.selector, s.signature
      from unnest(${sql.array(addresses ?? [], 'text')}, ${sql.array(selectors ?? [], 'text')}) as w (address, selector)
      join app.evm_verified_signatures s on s.address = w.address and s.selector = w.selector
    `)
    return new Map(rows.map(({ address, selector, signature }) => [`${address} ${selector}`, signature]))
  })
}

const selectorRow = z.object({ selector: z.string() })

/**
 * Of common functions and those of verified contracts.
 *
 * @param method name in any case, `transfer(address,uint256)`, or `0x` and 8 hex digits
 */
export async function readSelectors(database: DatabasePool, method: string): Promise<readonly string[]> {
  if (method.startsWith('0x')) return [method.slice(2)]
  if (method.includes('(')) return [keccak256(Buffer.from(method)).toString('hex').slice(0, 8)]
  const verified = await database.any(sql.type(selectorRow)`
    select distinct selector from app.evm_verified_signatures
    where lower(signature ->> 'name') = ${method.toLowerCase()} and length(selector) = 8
    order by selector
    limit ${maxMethods}
  `)
  return [...new Set([...selectorsOfName(method), ...verified.map(({ selector }) => selector)])].slice(0, maxMethods)
}

interface Described {
  readonly transactions?: readonly EvmTransactionRow[]
  readonly logs?: readonly EvmLog[]
  readonly addresses?: readonly (string | null)[]
}

/** Known facts about addresses and contracts. */
export async function readEvmContext(
  database: DatabasePool,
  { transactions = [], logs = [], addresses = [] }: Described,
): Promise<EvmContext> {
  const keys = [...transactions.map(callKeyOf), ...logs.map(logKeyOf)].filter((key) => key !== undefined)
  const [directory, signatures] = await Promise.all([
    describeEvmAddresses(database, [
      ...transactions.flatMap(partiesOf),
      ...logs.map(({ address }) => address),
      ...addresses,
    ]),
    readSignatures(database, keys),
  ])
  return { directory, signatures }
}
