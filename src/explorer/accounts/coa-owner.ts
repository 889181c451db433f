import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ScriptFailedError } from '../../flow/chain-reader.ts'
import { cadence } from '../../flow/json-cdc/cadence-argument.ts'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Route } from '../../platform/http/route.ts'
import { accountOrCoaParameter } from '../parameters.ts'
import { ChainUnavailableError, readAnswer } from '../present-chain.ts'
import type { PresentChain } from '../present-chain.ts'
import type { Services } from '../route.ts'
import { listCoas } from './queries.ts'

/** Transfers name the COA of bridged tokens, so routes of an account accept it and answer for its owner. */
export function answerCoaOwner(route: Route<Services>): Route<Services> {
  if (!route.path.includes('/account/{address}')) return route
  const address = accountOrCoaParameter()
  return {
    ...route,
    params: route.params.extend({ address }),
    problems: { 404: 'The owner of the COA is unknown.', ...route.problems },
    run: async (request, services) => {
      const { data: coa } = address.safeParse(request.params['address'])
      if (coa?.length !== 42) return route.run(request, services)
      return route.run({ ...request, params: { ...request.params, address: await ownerOf(coa, services) } }, services)
    },
  }
}

async function ownerOf(coa: string, services: Services): Promise<string> {
  const owner = await findCoaOwner(services, coa)
  if (owner !== null) return owner
  const reason = coa.startsWith(coaPrefix) ? 'is a COA whose owner is unknown' : 'is not a COA'
  throw new ApiError(
    404,
    'unknown-account',
    `Account ${coa} does not exist: the EVM address ${reason}. Request /flow/evm/address/${coa}.`,
    { field: 'address' },
  )
}

/** Source: onflow/flow-go `fvm/evm/types/address.go`. */
export const coaPrefix = '0x000000000000000000000002'

/** Reads the chain if no indexed transaction shows the owner. */
export async function findCoaOwner(
  { database, chain }: Pick<Services, 'database' | 'chain'>,
  coa: string,
): Promise<string | null> {
  if (!coa.startsWith(coaPrefix)) return null
  const known = await readCoaOwner(database, coa)
  if (known !== null) return known
  const signers = (await database.any(signersOf(coa.slice(2)))).map(({ signer }) => signer)
  const at = (await readCoaAddresses(chain, signers)).indexOf(coa)
  return signers[at] ?? null
}

/** As indexed; null if unknown. */
export async function readCoaOwner(database: DatabasePool, coa: string): Promise<string | null> {
  const [row] = await listCoas(database, coa, undefined, 1)
  return row?.flow_address ?? null
}

/** The first COA of an account; null without one. */
export async function readCoaAddress(
  { database, chain }: Pick<Services, 'database' | 'chain'>,
  account: string,
): Promise<string | null> {
  const [row] = await listCoas(database, account, undefined, 1)
  return row?.coa_address ?? (await readCoaAddresses(chain, [account]))[0] ?? null
}

/** Comparing and sorting by address and height forces the address index. */
function transactionsAt(column: FragmentSqlToken, direction: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    select block_height, tx_index from app.evm_tx_hashes
    where (${column}, block_height) between ($1::text, 0) and ($1::text, 9007199254740991) and ${column} is not null
    order by ${column} ${direction}, block_height ${direction}
    limit 3
  )`
}

const [sender, receiver] = [sql.fragment`evm_from`, sql.fragment`evm_to`]
const [first, last] = [sql.fragment`asc`, sql.fragment`desc`]

/** Only the owner of a COA can call from it, and the first deposit is usually the owner's. */
const signersOf = fixedStatement(sql.prepared('signers of EVM address', z.object({ signer: z.string() }))`
  select distinct signer
  from (
    ${transactionsAt(sender, first)} union ${transactionsAt(sender, last)}
    union ${transactionsAt(receiver, first)} union ${transactionsAt(receiver, last)}
  ) as seen
  join raw.transactions t on t.block_height = seen.block_height and t.tx_index = seen.tx_index
  cross join unnest(t.authorizers) as signer
  order by signer
  limit 30
`)

const coaAddresses = z.array(
  z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .transform((digits) => `0x${digits}`)
    .nullable(),
)

/** COAs at the usual storage path, in order. Empty if no access node responds. */
async function readCoaAddresses(
  chain: PresentChain,
  accounts: readonly string[],
): Promise<ReadonlyArray<string | null>> {
  if (accounts.length === 0) return []
  try {
    return readAnswer(
      coaAddresses,
      await chain.run('coa_addresses', [cadence.array(accounts.map((account) => cadence.address(account)))]),
    )
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof ScriptFailedError) return []
    throw error
  }
}
