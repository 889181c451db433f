import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Paths are relative to the root. */
export interface SourceGraph {
  readonly files: readonly string[]
  imports(file: string): readonly string[]
  /** Files and folders that it names, for example to read or spawn. */
  mentions(file: string): readonly string[]
  /** Hash of the file and its direct imports. */
  fingerprint(file: string): string
}

const code = /\.(ts|tsx|mts|mjs|js|sh)$/
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"\n]+)['"]/g
const pathPattern = /[\w@.-]*(?:\/[\w@.-]+)+\/?|[\w@-][\w@.-]*\.(?:tsx?|mjs|json|md|sql|sh|toml|html|css|txt)\b/g

const wordsPattern = /(['"`])[\w./-]+\1(?:, (['"`])[\w./-]+\2)*/g

/** Without ignored and deleted files. @throws outside a checkout */
export function repositoryFiles(root: string): string[] {
  return git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    .filter((file, i, all) => all.indexOf(file, i + 1) < 0 && existsSync(join(root, file)))
    .toSorted()
}

export function git(root: string, ...args: readonly string[]): string[] {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 } as const
  const output = execFileSync('git', ['-c', `safe.directory=${root}`, ...args], options)
  return output.split('\0').filter((line) => line !== '')
}

export function readSourceGraph(root: string, files: readonly string[], extra: readonly string[] = []): SourceGraph {
  const known = new Set([...files, ...extra])
  const folders = new Set([...known].flatMap(parentsOf))
  const texts = new Map<string, string>()
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
    texts.set(file, text)
    return text
  }
  const imported = new Map<string, readonly string[]>()
  const imports = (file: string): readonly string[] => {
    let found = imported.get(file)
    if (found === undefined) {
      const paths = code.test(file) ? [...textOf(file).matchAll(importPattern)].map(([, path = '']) => path) : []
      found = [...new Set(paths.map((path) => posix.join(posix.dirname(file), path)))]
      imported.set(file, found)
    }
    return found
  }
  const mentions = (file: string): readonly string[] => {
    if (!code.test(file)) return []
    const found = new Set(imports(file).filter((path) => known.has(path)))
    const add = (path: string): void => {
      if (known.has(path) || folders.has(path)) found.add(path)
    }
    for (const line of textOf(file).split('\n')) {
      if (/^\s*(\*|\/\/|\/\*\*)/.test(line)) continue
      for (const [token] of line.matchAll(pathPattern)) {
        const path = token.replace(/\/$/, '')
        add(posix.join(posix.dirname(file), path))
        if (!path.startsWith('.')) add(path)
      }
      // A single word may be a root folder.
      const isPath = /\b(join|resolve|URL|filesBelow)\(/.test(line)
      for (const [row] of line.matchAll(wordsPattern)) {
        const words = [...row.matchAll(/[\w./-]+/g)].map(([word]) => word)
        const whole = words.join('/')
        if (isPath && words.length > 1 && (known.has(whole) || folders.has(whole))) add(whole)
        else if (isPath || isTest(file)) for (const word of words) if (isPath || word !== 'test') add(word)
      }
    }
    return [...found]
  }
  const digests = new Map<string, string>()
  const digest = (file: string): string => {
    const found = digests.get(file) ?? `${file} ${sha256(textOf(file))}`
    digests.set(file, found)
    return found
  }
  const fingerprint = (file: string): string => sha256([file, ...imports(file)].map(digest).join('\n'))
  return { files, imports, mentions, fingerprint }
}

export function reachable(from: Iterable<string>, next: (file: string) => Iterable<string>): Set<string> {
  const found = new Set(from)
  for (const file of found) for (const other of next(file)) found.add(other)
  return found
}

function isTest(file: string): boolean {
  return file.startsWith('test/') || /\.test(-support)?\.tsx?$/.test(file)
}

export function parentsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
