import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBenchDatabase } from './farm/bench-database.ts'
import { measureCalls } from './mcp/measure-calls.ts'
import { mcpCalls } from './mcp/mcp-calls.ts'
import { startMcpProgram } from './mcp/mcp-program.ts'
import { readOptions } from './read-options.ts'

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
