import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openBenchDatabase } from './farm/bench-database.ts'
import { measureCalls } from './mcp/measure-calls.ts'
import { mcpCalls } from './mcp/mcp-calls.ts'
import { startMcpProgram } from './mcp/mcp-program.ts'

/**
 * `npm run bench:mcp`: calls a second of one MCP server, in both eras of the protocol, and the processor time of each. The server is a process
 * of its own with a database; the callers are this one, over kept connections.
 */

const { values } = parseArgs({ options: { calls: { type: 'string', default: '5000' }, connections: { type: 'string', default: '16' } } })
const database = await openBenchDatabase()
const folder = await mkdtemp(join(tmpdir(), 'flowfarm-bench-mcp-'))
const program = await startMcpProgram(database.url, folder)
try {
  process.stdout.write(`MCP: one server, ${availableParallelism()} cores for it, PostgreSQL and the callers, Node ${process.version}\n\n` +
    `${''.padEnd(44)}each s   CPU µs: Node   median ms   p99\n`)
  for (const call of mcpCalls) {
    const { perSecond, nodeUs, medianMs, p99Ms } = await measureCalls({
      url: program.url, pid: program.pid, call, calls: Number(values.calls), connections: Number(values.connections),
    })
    process.stdout.write(call.name.padEnd(40) + Math.round(perSecond).toLocaleString('en').padStart(8) + nodeUs.toFixed(0).padStart(12) +
      medianMs.toFixed(1).padStart(14) + p99Ms.toFixed(1).padStart(8) + '\n')
  }
} finally {
  await program.end()
  await database.close()
  await rm(folder, { recursive: true, force: true })
}
