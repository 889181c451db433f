import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lintChanged } from './check/lint-changed.ts'
import { compiler, formatter, pageCompiler, modules, runTool } from './check/tools.ts'
import type { Finding, Tool } from './check/tools.ts'
import { runCommand } from './cli/command.ts'
import { flag } from './cli/options.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const state = join(root, '.flowfarm/check')

await runCommand({
  name: 'check',
  summary: 'Checks format, types, lint, and the structure tests.',
  options: { fix: flag('Write the format instead of checking it.') },
  notes: [
    'Less than 10 s on two cores, 30 s the first time. Types are compiled incrementally, and only changed files and ' +
      'the files that import them directly are linted. The state is in .flowfarm/check; npm test ignores it.',
  ],
  examples: [
    ['', 'Before every commit.'],
    ['--fix', 'Format the tree, then check the rest.'],
  ],
  usesDatabase: false,
  exitCodes: { 1: 'a check failed, see its output' },
  run: async ({ options }) => {
    const format = options.fix ? ({ name: 'format', argv: ['oxfmt/bin/oxfmt', '.'] } as const) : formatter
    const checks: readonly Promise<boolean>[] = [
      report('format', runTool(root, format)),
      report('types', runTool(root, incremental(compiler, 'types'))),
      report('types of pages', runTool(root, incremental(pageCompiler, 'page-types'))),
      report('lint', lintChanged(root, join(state, 'linted.json'))),
      report('modules', runTool(root, modules)),
    ]
    return (await Promise.all(checks)).every((ok) => ok) ? 0 : 1
  },
})

function incremental(tool: Tool, name: string): Tool {
  return { ...tool, argv: [...tool.argv, '--incremental', '--tsBuildInfoFile', join(state, `${name}.json`)] }
}

async function report(name: string, check: Promise<Finding>): Promise<boolean> {
  const { ok, output, seconds } = await check
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`)
  if (!ok) process.stdout.write(`\n${output}\n\n`)
  return ok
}
