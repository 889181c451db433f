import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSourceGraph, repositoryFiles, sha256 } from './source-graph.ts'
import { linter, runTool } from './tools.ts'
import type { Finding } from './tools.ts'

const settings = ['package-lock.json', '.oxlintrc.json', 'tsconfig.json', 'dashboards/tsconfig.json']
/** Above this number of files, linting the whole tree is as fast. */
const maxChanged = 600

/** Files that changed since they last passed, or whose direct imports did. */
export async function lintChanged(root: string, cache: string): Promise<Finding & { readonly linted: number }> {
  const before = fingerprints(root)
  const passed = readPassed(cache)
  const stale = [...before].filter(([file, digest]) => passed.get(file) !== digest).map(([file]) => file)
  if (stale.length === 0) return { ok: true, output: '', seconds: 0, linted: 0 }
  const files = stale.length > maxChanged ? [] : stale
  const finding = await runTool(root, { ...linter, argv: [...linter.argv, ...files] })
  if (finding.ok) {
    const after = fingerprints(root)
    const unchanged = [...before].filter(([file, digest]) => after.get(file) === digest)
    mkdirSync(dirname(cache), { recursive: true })
    writeFileSync(cache, JSON.stringify(unchanged))
  }
  return { ...finding, linted: stale.length }
}

/** Declaration files affect every file. */
function fingerprints(root: string): ReadonlyMap<string, string> {
  const files = repositoryFiles(root)
  const graph = readSourceGraph(root, files)
  const shared = [...settings, ...files.filter((file) => file.endsWith('.d.ts'))]
    .map((file) => `${file}\n${existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''}`)
    .join('\n')
  const base = sha256(`${process.version}\n${linter.argv.join(' ')}\n${shared}`)
  return new Map(
    files
      .filter((file) => /\.(ts|tsx|mts|mjs|js)$/.test(file))
      .map((file) => [file, sha256(base + graph.fingerprint(file))]),
  )
}

function readPassed(cache: string): ReadonlyMap<string, string> {
  if (!existsSync(cache)) return new Map()
  try {
    return new Map(JSON.parse(readFileSync(cache, 'utf8')) as [string, string][])
  } catch {
    return new Map()
  }
}
