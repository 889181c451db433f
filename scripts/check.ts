/**
 * `npm run check [-- --fix]`: everything that can be said about the sources without running them, in half a minute.
 * The formatter, the compiler, the linter, and the tests of the rooms and of the house, at the same time. With `--fix`
 * the formatter writes what it would ask for.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiler, formatter, linter, pageCompiler, runTool, type Tool } from './check/tools.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const rooms: Tool = {
  name: 'rooms',
  argv: [
    'mocha/bin/mocha.js',
    '--no-config',
    '--timeout',
    '0',
    '--reporter',
    'dot',
    'test/rooms.test.ts',
    'test/house.test.ts',
  ],
}

const isFixing = process.argv.includes('--fix')
const tools = [
  isFixing ? { ...formatter, argv: ['oxfmt/bin/oxfmt', '.'] as const } : formatter,
  compiler,
  pageCompiler,
  linter,
  rooms,
]
const findings = await Promise.all(tools.map(async (tool) => ({ tool, ...(await runTool(root, tool)) })))
for (const { tool, ok, output, seconds } of findings) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${tool.name} (${seconds.toFixed(1)} s)`)
  if (!ok) console.log(`\n${output}\n`)
}
process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1
