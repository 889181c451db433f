import { GrpcJsTransport } from '../../../src/access/grpc-js-transport.ts'
import { parseEndpoint } from '../../../src/access/parse-endpoint.ts'
import { startApiProgram } from '../api/api-program.ts'
import type { ApiProgram } from '../api/api-program.ts'
import { benchCases } from '../api/cases.ts'
import { measureBare } from '../api/measure-bare.ts'
import { measureCase } from '../api/measure-case.ts'
import { allTables, bareCopy } from '../bare-copy.ts'
import type { BareCopy } from '../bare-copy.ts'
import type { BenchSheet } from '../bench-run.ts'
import { measureWholeProgram } from '../derive/whole-program.ts'
import { decodingPart, fetchToDerive, workerCosts } from '../derive/worker-costs.ts'
import type { BenchDatabase } from '../farm/bench-database.ts'
import { callForBlock } from '../fetch/three-calls.ts'
import { treeCpuSeconds } from '../process-usage.ts'
import { apiCaseId } from '../report/figures.ts'
import { grownBlock, grownRequests, timesGrown } from '../report/growth.ts'
import type { Grown } from '../report/growth.ts'
import type { Growth } from '../report/history.ts'
import { numberText } from '../report/number-text.ts'
import { startSimulatedNode } from '../simulated-node.ts'
import type { BlockSource } from '../simulated-node.ts'

const connections = 16
const batchBlocks = 100

/** Deriving, size, the API and growth: the whole program on a small database and on one ten times as large, and the API on both. */
export async function benchProgram(sheet: BenchSheet): Promise<void> {
  const { fewBlocks, manyBlocks, threadBlocks, threadRuns } = sheet.size
  await using node = await startSimulatedNode(manyBlocks)
  const costs = workerCosts(await fetchToDerive(node, threadBlocks), 'memory', threadRuns)
  sheet.note(
    'derive.thread',
    costs.reduce((sum, { medianUs }) => sum + medianUs, 0),
    costs.find(({ part }) => part === decodingPart)?.medianUs,
  )

  const growing = new Map<string, GrowingCase[]>()
  await measureWholeProgram(fewBlocks, node, { afterwards: (database) => benchApi(sheet, database, growing, false) })
  let bare: BareCopy | undefined
  const whole = await measureWholeProgram(manyBlocks, node, {
    stretchBlocks: manyBlocks / 20,
    afterwards: async (database) => {
      const { pool, postmaster } = database
      bare = await bareCopy(
        pool,
        await allTables(pool),
        { from: node.from, to: node.from + manyBlocks, batchBlocks },
        () => treeCpuSeconds(postmaster),
      )
      await benchApi(sheet, database, growing, true)
    },
  })
  sheet.note('derive.pace', whole.blocksPerSecond, bare === undefined ? undefined : manyBlocks / bare.seconds)
  sheet.note('derive.node', whole.nodeMs)
  sheet.note(
    'derive.postgres',
    whole.postgresMs,
    bare === undefined ? undefined : (bare.cpuSeconds * 1000) / manyBlocks,
  )
  sheet.note('derive.memory', whole.peakMiB)
  const answers = await kilobytesOfAnswers(node, Math.min(500, manyBlocks))
  const kilobytes = (mibPer1000: number): number => (mibPer1000 * 2 ** 20) / 1e6
  sheet.note('size.raw', kilobytes(whole.rawMiB), answers)
  sheet.note('size.all', kilobytes(whole.databaseMiB), answers)
  sheet.note('size.wal', kilobytes(whole.walMiB), answers)
  sheet.blocks = [...whole.stretches]
  sheet.requests = { sizes: [fewBlocks, manyBlocks], cases: Object.fromEntries(growing) }
  tellGrowth(sheet)
}

/** What grows is not wanted, so that it is told beside the figures. */
function tellGrowth(sheet: BenchSheet): void {
  const tell = (label: string, { few, many, fewMs, manyMs }: Grown): void => {
    sheet.say(
      `growth: ${label}, ${few.toLocaleString('en-US')} to ${many.toLocaleString('en-US')} blocks: ${numberText(fewMs)} to ${numberText(manyMs)} ms, ` +
        `${numberText(timesGrown({ fewMs, manyMs }))} times`,
    )
  }
  const block = grownBlock(sheet.blocks)
  if (block !== undefined) tell('a block', block)
  for (const [id, grown] of grownRequests(sheet.requests)) tell(id, grown)
}

type GrowingCase = NonNullable<Growth['requests']['cases'][string]>[number]

/** Few enough that those of accounts are of busy ones, whose lists are full soon. */
const growingPages = 200

/**
 * The API, what a request costs; on the large database also how many there are a second, without and with kept answers, beside bare
 * statements.
 * @param growing gets the cost of each case
 */
async function benchApi(
  sheet: BenchSheet,
  { url, pool, postmaster }: BenchDatabase,
  growing: Map<string, GrowingCase[]>,
  isLarge: boolean,
): Promise<void> {
  await pool.query('vacuum analyze')
  const cases = await benchCases(pool)
  const load = { seconds: sheet.size.apiSeconds, connections }
  const serverSeconds = (): number => treeCpuSeconds(postmaster)
  const withApi = async (
    variables: Record<string, string>,
    work: (api: ApiProgram) => Promise<void>,
  ): Promise<void> => {
    const api = await startApiProgram(url, undefined, variables)
    try {
      await work(api)
    } finally {
      await api.end()
    }
  }
  await withApi({ API_ANSWER_CACHE_MS: '0' }, async (api) => {
    for (const { name, spread, even = spread } of cases) {
      const id = apiCaseId(name)
      const { nodeMs, serverMs, bytes } = await measureCase(api, even.slice(0, growingPages), load, serverSeconds)
      growing.set(id, [...(growing.get(id) ?? []), { ms: nodeMs + serverMs, bytes }])
    }
  })
  if (!isLarge) return
  const limits = new Map<string, number>()
  for (const { name, bare } of cases)
    limits.set(name, await measureBare(url, bare, { ...load, seconds: load.seconds / 3 }))
  await withApi({ API_ANSWER_CACHE_MS: '0' }, async (api) => {
    for (const { name, spread } of cases) {
      sheet.note(
        `api.${apiCaseId(name)}`,
        (await measureCase(api, spread, load, serverSeconds)).requestsPerSecond,
        limits.get(name),
      )
    }
  })
  await withApi({}, async (api) => {
    for (const { name, asked } of cases) {
      sheet.note(
        `api.kept.${apiCaseId(name)}`,
        (await measureCase(api, asked, load, serverSeconds)).requestsPerSecond,
        limits.get(name),
      )
    }
  })
}

/** What a node's answers for a block weigh, in the mean. */
async function kilobytesOfAnswers({ endpoint, from }: BlockSource, blocks: number): Promise<number> {
  const transport = new GrpcJsTransport(parseEndpoint(endpoint))
  let bytes = 0
  for (let height = from; height < from + blocks; height++) {
    const { light, transactions, results } = await callForBlock(transport, height)
    bytes += light.length + transactions.length + results.length
  }
  await transport.close()
  return bytes / blocks / 1000
}
