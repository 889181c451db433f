/**
 * How much slower the explorer API gets while many ask the query service: its p99 alone, and beside them, in turns on one machine.
 *
 *     node scripts/bench/ask-load.ts [--clients n] [--seconds n] [--rounds n] [--blocks n] [--connections n]
 *
 * Two programs as in production, with a database of their own that holds a made-up chain. What the API is asked for changes with each
 * request, so that no kept answer hides the database. The target is a p99 of not more than twice that without them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startApiProgram } from './api/api-program.ts'
import { benchCases } from './api/cases.ts'
import { fillWithBlocks } from './api/fill.ts'
import { measureLoad, type MeasuredLoad } from './api/measure-load.ts'
import { startAskProgram } from './ask/ask-program.ts'
import type { ClientsResult } from './ask/sql-clients.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import { median } from './farm/quantile.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions(import.meta.filename, {
  options: {
    clients: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    blocks: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '16' },
  },
})

/** What is asked in turn: a page, the fullest blocks, and all blocks by the hour. */
const statements = [
  'select height, timestamp, tx_count from raw.blocks order by height desc limit 20',
  'select block_height, count(*), sum(gas_used) from raw.transactions group by 1 order by 2 desc limit 50',
  "select date_trunc('hour', timestamp) as hour, count(*), sum(tx_count) from raw.blocks group by 1 order by 1",
]

const database = await openBenchDatabase()
const folder = await mkdtemp(join(tmpdir(), 'flowfarm-bench-ask-'))
try {
  await fillWithBlocks(database, Number(values.blocks), undefined)
  const [api, ask] = await Promise.all([
    startApiProgram(database.url, undefined),
    startAskProgram(database.url, folder),
  ])
  try {
    console.log(
      `node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores; ${values.connections} connections to the API`,
    )
    console.log(`${''.padEnd(24)}   req/s    p50 ms    p99 ms`)
    const paths = (await benchCases(database.pool))
      .filter(({ name }) => name !== 'block list')
      .flatMap(({ spread }) => spread)
    const load = (): Promise<MeasuredLoad> =>
      measureLoad(api, shuffled(paths), { seconds: Number(values.seconds), connections: Number(values.connections) })
    await load()
    const [alone, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < Number(values.rounds); round += 1) {
      alone.push(told('alone', await load()))
      const crowd = startCrowd(ask.port)
      beside.push(told(`beside ${values.clients} who ask`, await load()))
      const { statuses, seconds } = await crowd.end()
      console.log(
        Object.entries(statuses)
          .map(([status, count]) => `    ${status}: ${Math.round(count / seconds)} a second`)
          .join(''),
      )
    }
    const [without, within] = [median(alone), median(beside)]
    console.log(
      `p99 beside them: ${(within / without).toFixed(2)} times that alone (${within.toFixed(1)} and ${without.toFixed(1)} ms, medians)`,
    )
  } finally {
    await Promise.all([api.end(), ask.end()])
  }
} finally {
  await database.close()
  await rm(folder, { recursive: true, force: true })
}

function told(name: string, { requestsPerSecond, p50Ms, p99Ms }: MeasuredLoad): number {
  console.log(
    `${name.padEnd(24)}${requestsPerSecond.toFixed(0).padStart(8)}${p50Ms.toFixed(2).padStart(10)}${p99Ms.toFixed(2).padStart(10)}`,
  )
  return p99Ms
}

/** The clients are a process of their own, as the one that measures is. */
function startCrowd(port: number): { end: () => Promise<ClientsResult> } {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'ask/sql-clients.ts'), String(port), values.clients],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  child.stdin.write(`${statements.join('\n')}\n`)
  return {
    end: async () => {
      child.stdin.end()
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
      return JSON.parse(output) as ClientsResult
    },
  }
}

function shuffled(paths: readonly string[]): string[] {
  return paths
    .map((path, at) => ({ path, at: (at * 7919) % paths.length }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ path }) => path)
}
