/**
 * `npm run check`: everything that can be said about the sources without running them, in a few seconds. The compiler,
 * the linter, and the tests of the rooms and of the house, at the same time.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiler, linter, pageCompiler, runTool, type Tool } from './check/tools.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const rooms: Tool = {
  name: 'rooms',
  argv: ['mocha/bin/mocha.js', '--no-config', '--timeout', '0', '--reporter', 'dot', 'test/rooms.test.ts', 'test/house.test.ts'],
}

const tools = [compiler, pageCompiler, linter, rooms]
const findings = await Promise.all(tools.map(async (tool) => ({ tool, ...(await runTool(root, tool)) })))
for (const { tool, ok, output, seconds } of findings) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${tool.name} (${seconds.toFixed(1)} s)`)
  if (!ok) console.log(`\n${output}\n`)
}
process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1
