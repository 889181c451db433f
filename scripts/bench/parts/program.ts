import { GrpcJsTransport } from '../../../src/access/grpc-js-transport.ts'
import { parseEndpoint } from '../../../src/access/parse-endpoint.ts'
import { startApiProgram } from '../api/api-program.ts'
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
  sheet.note('derive.thread', costs.reduce((sum, { medianUs }) => sum + medianUs, 0), costs.find(({ part }) => part === decodingPart)?.medianUs)

  const times = new Map<string, number[]>()
  await measureWholeProgram(fewBlocks, node, { afterwards: (database) => benchApi(sheet, database, times, false) })
  let bare: BareCopy | undefined
  const whole = await measureWholeProgram(manyBlocks, node, {
    stretchBlocks: manyBlocks / 20,
    afterwards: async (database) => {
      const { pool, postmaster } = database
      bare = await bareCopy(pool, await allTables(pool), { from: node.from, to: node.from + manyBlocks, batchBlocks }, () => treeCpuSeconds(postmaster))
      await benchApi(sheet, database, times, true)
    },
  })
  sheet.note('derive.pace', whole.blocksPerSecond, bare === undefined ? undefined : manyBlocks / bare.seconds)
  sheet.note('derive.node', whole.nodeMs)
  sheet.note('derive.postgres', whole.postgresMs, bare === undefined ? undefined : (bare.cpuSeconds * 1000) / manyBlocks)
  sheet.note('derive.memory', whole.peakMiB)
  const answers = await kilobytesOfAnswers(node, Math.min(500, manyBlocks))
  const kilobytes = (mibPer1000: number): number => (mibPer1000 * 2 ** 20) / 1e6
  sheet.note('size.raw', kilobytes(whole.rawMiB), answers)
  sheet.note('size.all', kilobytes(whole.databaseMiB), answers)
  sheet.note('size.wal', kilobytes(whole.walMiB), answers)
  sheet.blocks = [...whole.stretches]
  sheet.requests = { sizes: [fewBlocks, manyBlocks], ms: Object.fromEntries(times) }
  tellGrowth(sheet)
}

/** What grows is not wanted, so that it is told beside the figures. */
function tellGrowth(sheet: BenchSheet): void {
  const tell = (label: string, { few, many, fewMs, manyMs }: Grown): void => {
    sheet.say(`growth: ${label}, ${few.toLocaleString('en-US')} to ${many.toLocaleString('en-US')} blocks: ${numberText(fewMs)} to ${numberText(manyMs)} ms, ` +
      `${numberText(timesGrown({ fewMs, manyMs }))} times`)
  }
  const block = grownBlock(sheet.blocks)
  if (block !== undefined) tell('a block', block)
  for (const [id, grown] of grownRequests(sheet.requests)) tell(id, grown)
}

/**
 * The API without kept answers and over many pages; on the large database also with kept answers, and beside bare statements.
 * @param times gets the processor time of a request of each case
 */
async function benchApi(sheet: BenchSheet, { url, pool, postmaster }: BenchDatabase, times: Map<string, number[]>, isLarge: boolean): Promise<void> {
  await pool.query('vacuum analyze')
  const cases = await benchCases(pool)
  const load = { seconds: sheet.size.apiSeconds, connections }
  const bare = new Map<string, number>()
  const serverSeconds = (): number => treeCpuSeconds(postmaster)
  for (const isKept of isLarge ? [false, true] : [false]) {
    const api = await startApiProgram(url, undefined, isKept ? {} : { API_ANSWER_CACHE_MS: '0' })
    try {
      for (const one of cases) {
        const id = apiCaseId(one.name)
        const { requestsPerSecond, nodeMs, serverMs } = await measureCase(api, isKept ? one.asked : one.spread, load, serverSeconds)
        if (!isKept) times.set(id, [...(times.get(id) ?? []), nodeMs + serverMs])
        if (!isLarge) continue
        const limit = bare.get(id) ?? await measureBare(url, one.bare, { ...load, seconds: load.seconds / 3 })
        bare.set(id, limit)
        sheet.note(isKept ? `api.kept.${id}` : `api.${id}`, requestsPerSecond, limit)
      }
    } finally {
      await api.end()
    }
  }
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
