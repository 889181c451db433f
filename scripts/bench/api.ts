/**
 * What the API answers a second, with everything on: an API process as in production, a load generator beside it, the database on the
 * same machine. Each case is measured with one page that everybody asks for (`hot`) and with many different ones (`spread`), which no
 * answer that is kept can serve.
 *
 *     npm run bench:api [-- --endpoint host:port --from height] [--blocks n] [--database url] [--seconds n] [--connections n]
 *       [--only words] [--profile folder] [--no-cache] [--skewed millions]
 *
 * Blocks come from an access node that speaks gRPC without TLS, or else from the recorded chain, which repeats itself. `--database` takes
 * one that is filled. `--skewed` measures the ends of lists instead: p99 of each at the head and at the tail of so many million transfers.
 */
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startApiProgram } from './api/api-program.ts'
import { benchCases } from './api/cases.ts'
import { fillWithBlocks } from './api/fill.ts'
import { measureLoad } from './api/measure-load.ts'
import { measureSkewed } from './api/skewed.ts'
import { openBenchDatabase } from './farm/bench-database.ts'

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    from: { type: 'string', default: '140000000' },
    blocks: { type: 'string', default: '2000' },
    database: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    'no-cache': { type: 'boolean', default: false },
    skewed: { type: 'string' },
  },
})

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`)
const own = values.database === undefined ? await openBenchDatabase() : undefined
const url = own?.url ?? values.database ?? ''
const pool = own?.pool ?? new pg.Pool({ connectionString: url })
const load = { seconds: Number(values.seconds), connections: Number(values.connections) }
try {
  if (values.skewed === undefined) await measurePace()
  else await measureSkewed({ url, pool, isFilled: own === undefined }, Number(values.skewed) * 1e6, load, values.only)
} finally {
  if (own === undefined) await pool.end()
  else await own.close()
}

async function measurePace(): Promise<void> {
  if (own !== undefined) {
    const source = values.endpoint === undefined ? undefined : { endpoint: values.endpoint, from: Number(values.from) }
    await fillWithBlocks(own, Number(values.blocks), source)
  }
  const cases = (await benchCases(pool)).filter(({ name }) => name.includes(values.only))
  const api = await startApiProgram(url, values.profile, values['no-cache'] ? { API_ANSWER_CACHE_MS: '0' } : {})
  try {
    console.log(`${values.connections} connections, ${values.seconds} s each\n`)
    console.log('case                            paths   req/s   p50 ms   p99 ms   Node ms   target   bytes')
    for (const { name, target, paths } of cases) {
      await measureLoad(api, paths.slice(0, 200), { ...load, seconds: 1 })
      const { requestsPerSecond, p50Ms, p99Ms, nodeMs, bytes } = await measureLoad(api, paths, load)
      console.log([
        name.padEnd(30), String(paths.length).padStart(7), requestsPerSecond.toFixed(0).padStart(8), p50Ms.toFixed(2).padStart(9),
        p99Ms.toFixed(2).padStart(9), nodeMs.toFixed(3).padStart(10), String(target).padStart(9), bytes.toFixed(0).padStart(8),
      ].join(''))
    }
  } finally {
    await api.end()
  }
}
