import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { contractParameters, unknownContract, unknownContractProblem } from '../parameters/contract-identifier.ts'
import { contractParts } from '../formats/contract-parts.ts'
import { listOf, page, singleOf } from '../paging/envelope.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { exampleContractVersion, exampleVersionDetail } from '../examples/contracts.ts'
import { integerParameter, limitParameter, noParameters } from '../parameters/parameters.ts'
import {
  contractVersionDetailSchema,
  contractVersionSchema,
  presentContractVersion,
  presentVersionDetail,
} from '../presenters/contract-version.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { readContractCode } from '../queries/contract-code.ts'
import { listContractVersions, readContractVersion } from '../queries/contract-versions.ts'
import { isKnownContract } from '../queries/known-contract.ts'
import { readTransactionIds } from '../queries/transaction-ids.ts'
import { defineRoute } from '../route.ts'

const versions = defineRoute({
  path: '/flow/contract/{identifier}/version',
  operationId: 'listContractVersions',
  tag: 'Contracts',
  summary: 'Versions of a contract, the newest first',
  description: 'As far as they are indexed: numbers change while older history is added.',
  params: contractParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(contractVersionSchema, 'ContractVersion'),
  problems: unknownContractProblem,
  example: { data: [exampleContractVersion], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { identifier }, query: { limit, cursor } }, { database }) => {
    const before = parseEventCursor(cursor)
    const rows = await listContractVersions(database, identifier, before, limit + 1)
    if (rows.length === 0 && !(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const shown = rows.slice(0, limit)
    const [times, idAt] = await Promise.all([
      readBlockTimes(
        database,
        shown.map((row) => row.block_height),
      ),
      readTransactionIds(database, shown),
    ])
    return {
      body: page(
        rows,
        limit,
        (row) => presentContractVersion(row, idAt(row), times),
        (row) => eventCursor.format(row),
      ),
    }
  },
})

const version = defineRoute({
  path: '/flow/contract/{identifier}/version/{version}',
  operationId: 'getContractVersion',
  tag: 'Contracts',
  summary: 'One version of a contract with its source',
  params: contractParameters.extend({
    version: integerParameter(1, 1_000_000).describe('Number of the version, from 1.'),
  }),
  query: noParameters,
  response: singleOf(contractVersionDetailSchema, 'ContractVersion'),
  problems: { 404: 'No such version of the contract is indexed.' },
  example: { data: [exampleVersionDetail] },
  handler: async ({ params: { identifier, version: number } }, { database, network }) => {
    const row = await readContractVersion(database, identifier, number)
    if (row === undefined) {
      throw new ApiError(404, 'unknown-version', `Version ${number} of ${identifier} is not indexed.`, {
        field: 'version',
      })
    }
    const [times, idAt, code] = await Promise.all([
      readBlockTimes(database, [row.block_height]),
      readTransactionIds(database, [row]),
      readContractCode(database, network(), Buffer.from(row.code_hash, 'hex')),
    ])
    const shown = presentContractVersion(row, idAt(row), times)
    return { body: { data: [presentVersionDetail(shown, { identifier, ...contractParts(identifier) }, code)] } }
  },
})

/** What contracts were. */
export const contractVersionRoutes = [versions, version]
