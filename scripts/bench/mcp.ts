import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openBenchDatabase } from './farm/bench-database.ts'
import { quantile } from './farm/quantile.ts'
import { startMcpProgram } from './mcp/mcp-program.ts'
import { cpuSeconds } from './process-usage.ts'
import { readOptions } from './read-options.ts'

/** A message that is sent again and again. */
interface McpCall {
  readonly name: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Revision of the protocol. */
  readonly revision: string
}

const runSql = {
  method: 'tools/call',
  params: { name: 'run_indexer_sql', arguments: { sql: 'SELECT 1 AS one' } },
} as const
const listTools = { method: 'tools/list', params: {} } as const

/** What is measured: each in both eras of the protocol. */
const mcpCalls: readonly McpCall[] = [
  { name: 'run_indexer_sql, 2026-07-28', revision: '2026-07-28', ...runSql },
  { name: 'run_indexer_sql, 2025-11-25', revision: '2025-11-25', ...runSql },
  { name: 'tools/list, 2026-07-28', revision: '2026-07-28', ...listTools },
  { name: 'tools/list, 2025-11-25', revision: '2025-11-25', ...listTools },
]

/** Headers and body of a call. Since 2026-07-28 every message names its revision, and its headers what is called. */
function messageOf(
  { method, params, revision }: McpCall,
  id: number,
): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revision,
  }
  if (revision < '2026') return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }
  headers['Mcp-Method'] = method
  if (typeof params['name'] === 'string') headers['Mcp-Name'] = params['name']
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } }) }
}

interface CallLoad {
  readonly url: string
  /** Of the server. */
  readonly pid: number
  readonly call: McpCall
  readonly calls: number
  /** Each sends one call after the other. */
  readonly connections: number
}

interface CallFigures {
  readonly perSecond: number
  /** Processor time of the server for one call, in microseconds. */
  readonly nodeUs: number
  readonly medianMs: number
  readonly p99Ms: number
}

/** Calls before the clock starts: the server's code is compiled by then. */
const warmUpCalls = 500

/** @throws Error for the first answer that is none */
async function measureCalls({ url, pid, call, calls, connections }: CallLoad): Promise<CallFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let id = 0
  const run = async (count: number): Promise<number[]> => {
    const times: number[] = []
    let left = count
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (left-- > 0) {
          const begin = performance.now()
          await send(agent, url, messageOf(call, ++id))
          times.push(performance.now() - begin)
        }
      }),
    )
    return times
  }
  try {
    await run(warmUpCalls)
    const [begin, cpu] = [performance.now(), cpuSeconds(pid)]
    const times = await run(calls)
    const seconds = (performance.now() - begin) / 1000
    return {
      perSecond: calls / seconds,
      nodeUs: ((cpuSeconds(pid) - cpu) / calls) * 1e6,
      medianMs: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
    }
  } finally {
    agent.destroy()
  }
}

async function send(
  agent: Agent,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<void> {
  const sent = request(url, { method: 'POST', agent, headers }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  if (response.statusCode !== 200 || !answer.includes('"result"') || answer.includes('"isError":true')) {
    throw new Error(`${response.statusCode}: ${answer.slice(0, 500)}`)
  }
}

/**
 * `npm run bench:mcp`: calls a second of one MCP server, in both eras of the protocol, and the processor time of each, beside that of a bare POST
 * of the same message that `node:http` answers. The servers are processes of their own, ours with a database; the callers are this one, over kept
 * connections.
 */

const { values } = readOptions(import.meta.filename, {
  options: { calls: { type: 'string', default: '5000' }, connections: { type: 'string', default: '16' } },
})
const database = await openBenchDatabase()
const folder = await mkdtemp(join(tmpdir(), 'flowfarm-bench-mcp-'))
const program = await startMcpProgram(database.url, folder)
const bare = fork(join(import.meta.dirname, 'mcp/bare-server.ts'))
const [{ port: barePort }] = (await once(bare, 'message')) as [{ port: number }]
try {
  process.stdout.write(
    `MCP: one server, ${availableParallelism()} cores for it, PostgreSQL and the callers, Node ${process.version}\n\n` +
      `${''.padEnd(44)}each s   CPU µs: Node   times bare   median ms   p99\n`,
  )
  let bareUs = 0
  const bareServer = { url: `http://127.0.0.1:${barePort}/`, pid: bare.pid ?? 0 }
  const bareCalls = mcpCalls
    .slice(0, 1)
    .map((call) => ({ call: { ...call, name: 'a bare POST of the same message' }, server: bareServer }))
  for (const { call, server } of [...bareCalls, ...mcpCalls.map((each) => ({ call: each, server: program }))]) {
    const { perSecond, nodeUs, medianMs, p99Ms } = await measureCalls({
      url: server.url,
      pid: server.pid,
      call,
      calls: Number(values.calls),
      connections: Number(values.connections),
    })
    if (server === bareServer) bareUs = nodeUs
    process.stdout.write(
      call.name.padEnd(40) +
        Math.round(perSecond).toLocaleString('en').padStart(8) +
        nodeUs.toFixed(0).padStart(12) +
        (nodeUs / bareUs).toFixed(1).padStart(14) +
        medianMs.toFixed(1).padStart(14) +
        p99Ms.toFixed(1).padStart(8) +
        '\n',
    )
  }
} finally {
  bare.disconnect()
  await program.end()
  await database.close()
  await rm(folder, { recursive: true, force: true })
}
