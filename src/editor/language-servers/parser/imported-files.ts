import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileUriPath } from '../file-uri-path.ts'
import { importStatements } from '../imports/import-statements.ts'
import { sourceTokens } from '../imports/source-tokens.ts'
import type { ImportedFile } from './linked-source.ts'

/** Bytes. */
const largestFile = 1_000_000
const mostFiles = 40
const deepestFolder = 40
/** Texts in memory. */
const mostKept = 200

interface KeptFile {
  readonly stamp: string
  readonly code: string
}

/**
 * The files that documents import by path. A document may import what is in its project and nothing else: the project is the nearest folder above it that has
 * a `flow.json`, as for the CLI. Links are not followed out of it, and open documents come before what is on the disk.
 */
export class ImportedFiles {
  readonly #openText: (uri: string) => string | undefined
  readonly #kept = new Map<string, KeptFile>()

  constructor(openText: (uri: string) => string | undefined) {
    this.#openText = openText
  }

  /** What a document imports by path, as far as it is there. */
  async importedBy(uri: string, code: string): Promise<ImportedFile[]> {
    const locations = new Set(
      importStatements(sourceTokens(code)).flatMap(({ location: { kind, value } }) =>
        kind === 'string' && value.endsWith('.cdc') ? [value] : [],
      ),
    )
    const document = locations.size === 0 ? undefined : fileUriPath(uri)
    const project = document === undefined ? undefined : await projectOf(document)
    if (document === undefined || project === undefined) return []
    const files = await Promise.all(
      [...locations].slice(0, mostFiles).map(async (location): Promise<ImportedFile[]> => {
        const path = resolve(dirname(document), location)
        if (isAbsolute(location) || location.includes('\0') || !isBelow(path, project)) return []
        const fileUri = pathToFileURL(path).href
        const text = this.#openText(fileUri) ?? (await this.#read(path, project))
        return text === undefined ? [] : [{ location, uri: fileUri, code: text }]
      }),
    )
    return files.flat()
  }

  /** Undefined where there is no plain file of the project. */
  async #read(path: string, project: string): Promise<string | undefined> {
    try {
      if (!isBelow(await realpath(path), await realpath(project))) return undefined
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        const { size, mtimeMs, ino } = await file.stat()
        const stamp = `${ino} ${size} ${mtimeMs}`
        const known = this.#kept.get(path)
        if (known?.stamp === stamp) return known.code
        if (!(await file.stat()).isFile() || size > largestFile) return undefined
        const code = await file.readFile('utf8')
        this.#kept.set(path, { stamp, code })
        const [oldest] = this.#kept.keys()
        if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest)
        return code
      } finally {
        await file.close()
      }
    } catch (error) {
      // What cannot be read is not there for whoever imports it; the checker of a CLI would say so, and this one knows no imports that are wrong.
      if (error instanceof Error && 'code' in error) return undefined
      throw error
    }
  }
}

async function projectOf(document: string): Promise<string | undefined> {
  let folder = dirname(document)
  for (let depth = 0; depth < deepestFolder; depth++) {
    const stat = await lstat(resolve(folder, 'flow.json')).catch(() => undefined)
    if (stat?.isFile() === true) return folder
    const above = dirname(folder)
    if (above === folder) return undefined
    folder = above
  }
  return undefined
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
