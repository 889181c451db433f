import { z } from 'zod'
import { declaredEvents } from '../../chain/contracts/declared-events.ts'
import { readBounds } from '../paging/bounds.ts'
import { contractParameters, unknownContract, unknownContractProblem } from '../parameters/contract-identifier.ts'
import { listOf, wholeList } from '../paging/envelope.ts'
import { exampleContractScript, exampleEventType } from '../examples/contracts.ts'
import { limitParameter } from '../parameters/parameters.ts'
import { contractEventTypeSchema, contractScriptSchema, presentEventTypes } from '../presenters/contract-use.ts'
import type { ContractScript } from '../presenters/contract-use.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { readContractCode } from '../queries/contract-code.ts'
import { listContractEventTypes } from '../queries/contract-event-types.ts'
import { countScripts, listUsingBlocks } from '../queries/contract-uses.ts'
import type { UsingBlock } from '../queries/contract-uses.ts'
import { readContracts } from '../queries/contracts.ts'
import { isKnownContract } from '../queries/known-contract.ts'
import { readScripts } from '../queries/read-scripts.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

/** Blocks that an answer is counted from: with some hundred events each, they are read in tens of milliseconds. */
const mostBlocks = 200

const counting =
  `Counted in the newest ${mostBlocks} blocks with a transaction that imports the contract, not in all of the ` +
  'chain: no count over all transactions is kept for each script.'

const events = defineRoute({
  path: '/flow/contract/{identifier}/events',
  operationId: 'listContractEventTypes',
  cost: 'high',
  tag: 'Contracts',
  summary: 'Types of events of a contract, the most frequent first',
  description: 'Those that are indexed, with exact counts, and then those that only the present code declares.',
  params: contractParameters,
  query: z.object({ limit: limitParameter({ default: 50, max: 100 }) }),
  response: listOf(contractEventTypeSchema, 'ContractEventType'),
  problems: unknownContractProblem,
  example: wholeList([exampleEventType]),
  handler: async ({ params: { identifier }, query: { limit } }, services) => {
    const { database } = services
    if (!(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const [rows, declared] = await Promise.all([
      listContractEventTypes(database, identifier, limit),
      readDeclared(identifier, services),
    ])
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.last_height),
    )
    return { body: wholeList(presentEventTypes(identifier, rows, declared, times).slice(0, limit)), caching: 'minute' }
  },
})

async function readDeclared(identifier: string, { database, network }: Services): Promise<readonly string[]> {
  const [row] = await readContracts(database, [identifier], false)
  const code = row && (await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex')))
  return code === undefined ? [] : declaredEvents(code.text)
}

const scripts = defineRoute({
  path: '/flow/contract/{identifier}/scripts',
  operationId: 'listContractScripts',
  cost: 'high',
  tag: 'Contracts',
  summary: 'Scripts of transactions that import a contract, the most used first',
  description: counting,
  params: contractParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }) }),
  response: listOf(contractScriptSchema, 'ContractScript'),
  problems: unknownContractProblem,
  example: wholeList([exampleContractScript]),
  handler: async ({ params: { identifier }, query: { limit } }, services) => {
    const { database } = services
    if (!(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const blocks = await listUsingBlocks(database, await readBounds(database), identifier, mostBlocks)
    return { body: wholeList(await readScriptUses(blocks, limit, services)), caching: 'minute' }
  },
})

/** Characters of a script that a list shows. */
const previewLength = 500

async function readScriptUses(
  blocks: readonly UsingBlock[],
  limit: number,
  { database, network }: Services,
): Promise<ContractScript[]> {
  const rows = (await countScripts(database, blocks)).slice(0, limit)
  const texts = await readScripts(
    database,
    network(),
    rows.map((row) => row.script_hash),
  )
  return rows.map(({ script_hash: hash, count, last_height: height }) => {
    const script = texts.get(hash)
    return {
      script_hash: hash,
      tx_count: count,
      category: script?.template.category ?? '',
      label: script?.template.label ?? '',
      script_preview: (script?.text ?? '').slice(0, previewLength).toWellFormed(),
      last_seen_height: height,
      counted_blocks: blocks.length,
      counted_from_height: blocks.at(-1)?.height ?? 0,
    }
  })
}

/** How contracts are used. */
export const contractUseRoutes = [events, scripts]
