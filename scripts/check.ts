import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiler, formatter, linter, pageCompiler, rooms, runTool } from './check/tools.ts'
import { runCommand } from './cli/command.ts'
import { flag } from './cli/options.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

await runCommand({
  name: 'check',
  summary: 'Checks the sources without running them: format, types, lint, and the tests of rooms and house rules.',
  options: { fix: flag('Write the format instead of checking it.') },
  examples: [
    ['', 'Before every commit.'],
    ['--fix', 'Format the tree, then check the rest.'],
  ],
  usesDatabase: false,
  exitCodes: { 1: 'a check failed: its output says where' },
  run: async ({ options }) => {
    const format = options.fix ? ({ name: 'format', argv: ['oxfmt/bin/oxfmt', '.'] } as const) : formatter
    const tools = [format, compiler, pageCompiler, linter, rooms]
    const findings = await Promise.all(tools.map(async (tool) => ({ tool, ...(await runTool(root, tool)) })))
    for (const { tool, ok, output, seconds } of findings) {
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${tool.name} (${seconds.toFixed(1)} s)\n`)
      if (!ok) process.stdout.write(`\n${output}\n\n`)
    }
    return findings.every(({ ok }) => ok) ? 0 : 1
  },
})
