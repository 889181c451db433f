import type { Files } from '../project/file-changes.ts'

export interface FilePlace {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly column: number
}

export function isTestFile(path: string): boolean {
  return path.endsWith('_test.cdc')
}

/** Where the test is declared, or the first line of its file. */
export function placeOfTest(files: Files, { file, name }: { readonly file: string; readonly name: string }): FilePlace {
  const lines = (files.get(file) ?? '').split('\n')
  const at = lines.findIndex((line) => line.includes(`fun ${name}(`))
  return { path: file, line: Math.max(0, at) + 1, column: 1 }
}

/**
 * Splits a text at places in files of the project: `<path>:<line>:<column>`, or
 * `A.<address>.<Name>` for the path. Columns of Cadence count from 0.
 */
export function locationsIn(text: string, files: Files): readonly (readonly [text: string, place?: FilePlace])[] {
  const parts: (readonly [string, FilePlace?])[] = []
  let end = 0
  for (const match of text.matchAll(/([^\s:]+):(\d{1,7}):(\d{1,7})/g)) {
    const [whole, name = '', line, column] = match
    const path = fileOf(name, files)
    if (path === undefined) continue
    parts.push([text.slice(end, match.index)], [whole, { path, line: Number(line), column: Number(column) + 1 }])
    end = match.index + whole.length
  }
  parts.push([text.slice(end)])
  return parts.filter(([part]) => part !== '')
}

function fileOf(name: string, files: Files): string | undefined {
  const path = name.replace(/^\.\//, '')
  if (files.has(path)) return path
  const contract = /^A\.[0-9a-f]{16}\.(\w+)$/.exec(name)?.[1]
  return contract === undefined ? undefined : [...files.keys()].find((one) => `/${one}`.endsWith(`/${contract}.cdc`))
}
