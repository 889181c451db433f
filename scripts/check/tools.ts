import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** A checker of the sources, as it is started from the root of the repository. */
export interface Tool {
  readonly name: string
  /** A program of node_modules, by the file that Node runs, and its arguments. */
  readonly argv: readonly [string, ...string[]]
}

export const compiler: Tool = { name: 'types', argv: ['typescript/bin/tsc', '--project', '.', '--pretty', 'false'] }
/** The pages have a browser's world, and a tsconfig of their own. */
export const pageCompiler: Tool = {
  name: 'types of pages',
  argv: ['typescript/bin/tsc', '--project', 'dashboards', '--pretty', 'false'],
}
export const formatter: Tool = { name: 'format', argv: ['oxfmt/bin/oxfmt', '--check', '.'] }
export const linter: Tool = { name: 'lint', argv: ['oxlint/bin/oxlint', '--type-aware', '--format', 'unix'] }

export const rooms: Tool = {
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

export interface Finding {
  /** Whether the tool had nothing to say against the sources. */
  readonly ok: boolean
  /** What it printed. */
  readonly output: string
  readonly seconds: number
}

/** Runs a checker to its end. It fails by its exit code; one that cannot be started fails with the reason. */
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
