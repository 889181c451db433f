import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Location } from 'vscode-languageserver-protocol'
import { fileUriPath } from '../imports/file-store.ts'
import { importStatements, sourceTokens } from '../imports/import-statements.ts'
import type { ParsedSource } from './parse-source.ts'
import type { Declaration } from '../../flow/cadence/syntax-tree.ts'
import type { NameUse } from '../../flow/cadence/program-outline.ts'
import { meaningOf, useAt } from '../../flow/cadence/resolve-name.ts'

export interface ImportedFile {
  readonly location: string
  readonly uri: string
  readonly code: string
}

export class LinkedSource {
  readonly source: ParsedSource
  readonly #uri: string
  readonly #homes = new Map<Declaration, { readonly uri: string; readonly source: ParsedSource }>()

  /** @param parsed returns an imported file */
  constructor(
    uri: string,
    source: ParsedSource,
    files: readonly ImportedFile[],
    parsed: (code: string) => ParsedSource,
  ) {
    this.#uri = uri
    this.source = source
    for (const declaration of source.outline.declarations) {
      const file =
        declaration.kind === 'import' ? files.find(({ location }) => location === declaration.location) : undefined
      if (file === undefined) continue
      const home = { uri: file.uri, source: parsed(file.code) }
      const contract = contractOf(declaration, home.source)
      if (contract === undefined) continue
      this.#homes.set(declaration, home)
      this.#contracts.set(declaration, contract)
      this.#settle(contract, home)
      // The import gets the members of the contract.
      declaration.members.splice(0, Infinity, ...contract.members)
    }
  }

  readonly #contracts = new Map<Declaration, Declaration>()

  useAt(offset: number): NameUse | undefined {
    const byte = this.source.places.byteOfOffset(offset)
    return useAt(this.source.outline, byte) ?? (byte === 0 ? undefined : useAt(this.source.outline, byte - 1))
  }

  declarationOf(use: NameUse): Declaration | undefined {
    const meaning = meaningOf(use, this.source.outline)
    if (meaning.kind === 'foreign') return meaning.contract.members.find(({ name }) => name === meaning.member)
    return meaning.kind === 'declared' ? meaning.declaration : undefined
  }

  target(declaration: Declaration): Declaration {
    return this.#contracts.get(declaration) ?? declaration
  }

  locationOf(declaration: Declaration): Location {
    const target = this.target(declaration)
    const { uri, source } = this.#homes.get(target) ?? { uri: this.#uri, source: this.source }
    return {
      uri,
      range: source.places.rangeOfBytes(target.nameStart, target.nameStart + Buffer.byteLength(target.name) - 1),
    }
  }

  isOwn(declaration: Declaration): boolean {
    return !this.#homes.has(declaration)
  }

  #settle(declaration: Declaration, home: { readonly uri: string; readonly source: ParsedSource }): void {
    this.#homes.set(declaration, home)
    for (const member of declaration.members) this.#settle(member, home)
  }
}

/** Has another name if the import renames the only contract. */
function contractOf({ name }: Declaration, { outline }: ParsedSource): Declaration | undefined {
  const contracts = outline.declarations.filter(({ kind }) => kind !== 'import' && kind !== 'parameter')
  return (
    contracts.find((declaration) => declaration.name === name) ?? (contracts.length === 1 ? contracts[0] : undefined)
  )
}

const maxFileBytes = 1_000_000
const maxFiles = 40
const maxFolderDepth = 40
const maxCached = 200

interface CachedFile {
  readonly stamp: string
  readonly code: string
}

/**
 * Within the project only: the nearest parent folder with a `flow.json`, as for the CLI. Links out
 * of it are not followed; open documents take precedence.
 */
export class ImportedFiles {
  readonly #openText: (uri: string) => string | undefined
  readonly #cache = new Map<string, CachedFile>()

  constructor(openText: (uri: string) => string | undefined) {
    this.#openText = openText
  }

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
      [...locations].slice(0, maxFiles).map(async (location): Promise<ImportedFile[]> => {
        const path = resolve(dirname(document), location)
        if (isAbsolute(location) || location.includes('\0') || !isBelow(path, project)) return []
        const fileUri = pathToFileURL(path).href
        const text = this.#openText(fileUri) ?? (await this.#read(path, project))
        return text === undefined ? [] : [{ location, uri: fileUri, code: text }]
      }),
    )
    return files.flat()
  }

  async #read(path: string, project: string): Promise<string | undefined> {
    try {
      if (!isBelow(await realpath(path), await realpath(project))) return undefined
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        const { size, mtimeMs, ino } = await file.stat()
        const stamp = `${ino} ${size} ${mtimeMs}`
        const known = this.#cache.get(path)
        if (known?.stamp === stamp) return known.code
        if (!(await file.stat()).isFile() || size > maxFileBytes) return undefined
        const code = await file.readFile('utf8')
        this.#cache.set(path, { stamp, code })
        const [oldest] = this.#cache.keys()
        if (this.#cache.size > maxCached && oldest !== undefined) this.#cache.delete(oldest)
        return code
      } finally {
        await file.close()
      }
    } catch (error) {
      // An unreadable file counts as missing.
      if (error instanceof Error && 'code' in error) return undefined
      throw error
    }
  }
}

async function projectOf(document: string): Promise<string | undefined> {
  let folder = dirname(document)
  for (let depth = 0; depth < maxFolderDepth; depth++) {
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
