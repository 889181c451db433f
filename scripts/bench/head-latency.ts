import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { listen } from '../../src/platform/db/listen.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { readOptions } from './read-options.ts'

/** `npm run bench:head`: from an access node having a new head to its rows in PostgreSQL and its message on /ws. */

const { values } = readOptions(import.meta.filename, {
  options: { blocks: { type: 'string', default: '100' }, interval: { type: 'string', default: '300' } },
})
const root = resolve(import.meta.dirname, '../..')
/** Of the simulated chain, when the measure begins. */
const head = 280

interface Sample {
  stored: number
  told: number
}

async function measure(hasStream: boolean): Promise<Sample[]> {
  const folder = mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
  const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined })
  const node = await startLedgerNode({ head })
  if (!hasStream)
    node.inject({ kind: 'status', code: 'UNIMPLEMENTED', when: ({ method }) => method.startsWith('Subscribe') })
  const farm = spawn(process.execPath, [join(root, 'src/main.ts'), 'ingest', 'farm', 'api'], {
    env: { DB_URL: server.url, CHAIN_ACCESS_NODE: node.endpoint, PORT: '0', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = new AbortController()
  try {
    const port = await new Promise<number>((found) => {
      createInterface({ input: farm.stdout }).on('line', (line) => {
        const { msg, port } = JSON.parse(line) as { msg: string; port?: number }
        if (msg === 'the API listens' && port !== undefined) found(port)
      })
    })
    const arrivals = new Map<number, { stored?: number; told?: number }>()
    const at = (height: number): { stored?: number; told?: number } => {
      const known = arrivals.get(height) ?? {}
      arrivals.set(height, known)
      return known
    }
    await listen(
      server.url,
      ['flowfarm_blocks'],
      (_channel, payload) => {
        const [, from, to] = payload.split(':').map(Number)
        for (let height = from ?? 0; height < (to ?? 0); height++) at(height).stored = performance.now()
      },
      {
        signal: stop.signal,
        onReconnect: () => undefined,
        onTrouble: (error) => process.stderr.write(`${error.message}\n`),
      },
    )
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    socket.on('message', (data: Buffer) => {
      const { type, payload } = JSON.parse(data.toString()) as { type: string; payload: { height: number } }
      if (type === 'new_block') at(payload.height).told = performance.now()
    })
    await once(socket, 'open')
    while (at(head).stored === undefined) await delay(50)
    const samples: Sample[] = []
    for (let i = 0; i < Number(values.blocks); i++) {
      // Not in step with anybody's timer.
      await delay(Number(values.interval) * (0.5 + Math.random()))
      node.advance()
      const offered = performance.now()
      const arrival = at(node.head)
      while (arrival.stored === undefined || arrival.told === undefined) await delay(1)
      samples.push({ stored: arrival.stored - offered, told: arrival.told - offered })
    }
    socket.close()
    return samples
  } finally {
    stop.abort()
    farm.kill('SIGTERM')
    await once(farm, 'exit')
    await node.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function row(label: string, numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b)
  const quantile = (q: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN).toFixed(1).padStart(9)
  return `${label.padEnd(44)}${quantile(0)}${quantile(0.5)}${quantile(0.95)}${quantile(1)}`
}

const streamed = await measure(true)
const polled = await measure(false)
process.stdout.write(
  [
    `Head latency, ms from the node's new head; ${values.blocks} blocks, about one in ${values.interval} ms`,
    `Node ${process.version}, ${availableParallelism()} cores, embedded PostgreSQL 18, all services in one process, all on this machine`,
    '',
    `${''.padEnd(44)}${'min'.padStart(9)}${'median'.padStart(9)}${'p95'.padStart(9)}${'max'.padStart(9)}`,
    row(
      'node with a stream: committed in PostgreSQL',
      streamed.map((s) => s.stored),
    ),
    row(
      'node with a stream: told on /ws',
      streamed.map((s) => s.told),
    ),
    row(
      'node without one: committed in PostgreSQL',
      polled.map((s) => s.stored),
    ),
    row(
      'node without one: told on /ws',
      polled.map((s) => s.told),
    ),
    '',
  ].join('\n'),
)
