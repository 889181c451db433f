import { strToU8, Unzip, UnzipInflate, Zip, ZipDeflate } from 'fflate'
import type { Limits, StoredFile } from '../types.ts'
import { limitProblem } from './file-changes.ts'
import type { Files } from './file-changes.ts'
import { pathProblem } from './path-problem.ts'

export class ZipProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ZipProblem'
  }
}

/** Files by name in an object would lose `__proto__`. */
export function zipFiles(files: Files): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    chunks.push(chunk)
  })
  for (const [path, content] of files) {
    const file = new ZipDeflate(path)
    zip.add(file)
    file.push(strToU8(content), true)
  }
  zip.end()
  return joined(chunks)
}

export interface ZipContents {
  readonly files: readonly StoredFile[]
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
}

/** Files that archives of macOS contain. */
const ofSystem = /(^|\/)(__MACOSX|\.DS_Store)(\/|$)/
/** Bytes; at most 1,032 times as many come out of one chunk. */
const chunkBytes = 16_384
const maxSkipped = 1000

/**
 * Sizes in archives may be false, so decompressed bytes are counted.
 * @param name of the archive: a folder of that name, as GitHub adds, is removed
 * @throws ZipProblem above the limits of a project
 */
export function readZip(
  bytes: Uint8Array,
  { name, files, folders, limits }: { name: string; files: Files; folders: readonly string[]; limits: Limits },
): ZipContents {
  if (bytes.length > limits.project_bytes)
    throw new ZipProblem(`The archive has ${bytes.length} bytes; the limit is ${limits.project_bytes}.`)
  const entries = decompress(bytes, limits)
  const top = `${name.replace(/\.zip$/i, '')}/`
  const isWrapped = entries.length > 0 && entries.every(({ path }) => path.startsWith(top))
  const found = new Map<string, string>()
  const skipped: { path: string; reason: string }[] = []
  for (const { path: entry, content } of entries) {
    const path = isWrapped ? entry.slice(top.length) : entry
    const problem = files.has(path) ? undefined : pathProblem(path, [...files.keys(), ...found.keys()], folders)
    const text = problem === undefined ? textOf(content) : undefined
    if (text === undefined) skipped.push({ path, reason: problem ?? 'The file is not text.' })
    else found.set(path, text)
  }
  if (found.size === 0 && skipped.length === 0) throw new ZipProblem('The file is not a ZIP archive, or it is empty.')
  const problem = limitProblem(new Map([...files, ...found]), limits)
  if (problem !== undefined) throw new ZipProblem(problem)
  return { files: [...found].map(([path, content]) => ({ path, content })), skipped }
}

interface Entry {
  readonly path: string
  readonly content: Uint8Array
}

function decompress(bytes: Uint8Array, limits: Limits): readonly Entry[] {
  const entries: Entry[] = []
  let [total, count] = [0, 0]
  const unzip = new Unzip((file) => {
    const { name: path } = file
    if (path.endsWith('/') || ofSystem.test(path)) return
    count++
    if (count > limits.files + maxSkipped)
      throw new ZipProblem(`The archive has more than ${limits.files + maxSkipped} files.`)
    const chunks: Uint8Array[] = []
    file.ondata = (error, chunk, isLast) => {
      if (error !== null) throw new ZipProblem(`Could not read ${path}: ${error.message}.`)
      total += chunk.length
      if (total > limits.project_bytes)
        throw new ZipProblem(`The files of the archive have more than ${limits.project_bytes} bytes.`)
      chunks.push(chunk)
      if (isLast) entries.push({ path, content: joined(chunks) })
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes)
      unzip.push(bytes.subarray(at, at + chunkBytes), at + chunkBytes >= bytes.length)
  } catch (error) {
    if (error instanceof ZipProblem) throw error
    throw new ZipProblem(`Could not read the archive: ${(error as Error).message}.`)
  }
  return entries
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

function textOf(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
