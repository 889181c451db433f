import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { isValidAddress } from '../../chain/address.ts'
import { chainSilentProblem, ifHeard } from '../chain/chain-problem.ts'
import { ChainSilentError } from '../chain/present-chain.ts'
import { accountParameter, noParameters } from '../parameters/parameters.ts'
import { accountContractSchema, presentIndexedCode, presentLiveCode } from '../presenters/account-contract.ts'
import { readContractCode } from '../queries/contract-code.ts'
import { readContracts } from '../queries/contracts.ts'
import { defineRoute } from '../route.ts'

const code = 'access(all) contract HelloWorld {\n    access(all) fun hello(): String { return "Hello" }\n}\n'

const accountContract = defineRoute({
  path: '/flow/account/{address}/contract/{name}',
  operationId: 'getAccountContract',
  tag: 'Accounts',
  summary: 'Source code of a contract at present',
  description:
    'From the chain, and as indexed where no access node answers in time, which `_rpcUnavailable` says. In no ' +
    'envelope.',
  params: z.object({
    address: accountParameter(),
    name: z
      .string()
      .regex(/^[A-Za-z_]\w{0,199}$/, 'must be the name of a contract')
      .describe('Name of the contract.'),
  }),
  query: noParameters,
  response: accountContractSchema,
  problems: {
    404: 'The account has no such contract.',
    503: 'The code is not indexed, and the chain cannot be asked at the moment.',
  },
  example: {
    address: '0x18eb4ee6b3c026d2',
    name: 'HelloWorld',
    byte_size: code.length,
    code,
    fetched_at: '2025-07-01T12:00:00.250Z',
    source: 'chain',
    as_of_height: null,
  },
  handler: async ({ params: { address, name } }, { database, chain, network }) => {
    const unknown = new ApiError(404, 'unknown-contract', `${address} has no contract ${name}.`, { field: 'name' })
    if (!isValidAddress(address, network())) throw unknown
    const heard = await ifHeard(chain.account(address))
    if (!(heard instanceof ChainSilentError)) {
      const live = heard.value?.contracts.get(name)
      if (live === undefined) throw unknown
      return { body: presentLiveCode(address, name, live) }
    }
    const [row] = await readContracts(database, [`A.${address.slice(2)}.${name}`], false)
    if (row === undefined) throw chainSilentProblem(heard)
    if (row.is_removed) throw unknown
    const indexed = await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex'))
    if (indexed === undefined) throw chainSilentProblem(heard)
    return { body: presentIndexedCode(address, name, indexed, row.updated_height) }
  },
})

/** Code of contracts by their account. */
export const accountContractRoutes = [accountContract]
