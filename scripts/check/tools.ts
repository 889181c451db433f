import { execFile } from 'node:child_process'
import { join } from 'node:path'

export interface Tool {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
}

/** One checker: several check shared types repeatedly. */
const compilerOptions = ['--pretty', 'false', '--singleThreaded']
export const compiler: Tool = { name: 'types', argv: ['typescript/bin/tsc', '--project', '.', ...compilerOptions] }
export const pageCompiler: Tool = {
  name: 'types of pages',
  argv: ['typescript/bin/tsc', '--project', 'dashboards', ...compilerOptions],
}
export const formatter: Tool = { name: 'format', argv: ['oxfmt/bin/oxfmt', '--check', '.'] }
export const linter: Tool = { name: 'lint', argv: ['oxlint/bin/oxlint', '--type-aware', '--format', 'unix'] }

/** The word list of the project is in cspell.json. */
export const spellCheck: Tool = { name: 'spelling', argv: ['cspell/bin.mjs', '--no-progress', '--no-summary'] }

export const modules: Tool = {
  name: 'modules',
  argv: [
    'mocha/bin/mocha.js',
    '--no-config',
    '--timeout',
    '0',
    '--reporter',
    'dot',
    'test/modules.test.ts',
    'test/house.test.ts',
  ],
}

export interface Finding {
  readonly ok: boolean
  readonly output: string
  readonly seconds: number
}

export async function runTool(root: string, tool: Tool): Promise<Finding> {
  const start = performance.now()
  const [program, ...args] = tool.argv
  return new Promise((resolve) => {
    const argv = [join(root, 'node_modules', program), ...args]
    execFile(process.execPath, argv, { cwd: root, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim() || (error?.message ?? '')
      resolve({ ok: error === null, output, seconds: (performance.now() - start) / 1000 })
    })
  })
}
