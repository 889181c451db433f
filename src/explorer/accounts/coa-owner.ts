import type { DatabasePool } from 'slonik'
import { ApiError } from '../../platform/errors.ts'
import type { Route } from '../../platform/http/route.ts'
import { accountOrCoaParameter } from '../parameters.ts'
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

async function ownerOf(coa: string, { database }: Services): Promise<string> {
  const owner = await readCoaOwner(database, coa)
  if (typeof owner === 'string') return owner
  const reason = owner === undefined ? 'is not a known COA' : 'is a COA whose owner is unknown'
  throw new ApiError(
    404,
    'unknown-account',
    `Account ${coa} does not exist: the EVM address ${reason}. Request /flow/evm/address/${coa}.`,
    { field: 'address' },
  )
}

/** @returns undefined if the address is not a known COA, null if its owner is unknown */
export async function readCoaOwner(database: DatabasePool, coa: string): Promise<string | null | undefined> {
  const [row] = await listCoas(database, coa, undefined, 1)
  return row?.flow_address
}
