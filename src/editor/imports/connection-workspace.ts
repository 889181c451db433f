import { constants } from 'node:fs'
import { mkdir, open, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { EditorNetwork } from '../editor-network.ts'
import { contractId } from './contract-library.ts'
import type { ContractLibrary } from './contract-library.ts'
import { fileUriPath, FileNames, hasCode } from './file-store.ts'
import type { FileStore } from './file-store.ts'
import { readDocument } from './import-statements.ts'
import type { DocumentImports } from './import-statements.ts'
import type {
  ContractAt,
  ContractName,
  DefinitionPlace,
  ImportWorkspace,
  PreparedText,
  ResolvedContract,
  TextRange,
} from './import-workspace.ts'
import { fileOf, layOutContracts, locationFrom, replaceLocations } from './lay-out-contracts.ts'
import type { ContractFile, LocationChange } from './lay-out-contracts.ts'
import { contractFolder } from './import-workspace.ts'
import { locateName } from './locate-name.ts'
import { coreContractAddress } from '../../flow/core-contracts.ts'
import { ApiError } from '../../platform/errors.ts'

interface ConnectionWorkspaceOptions {
  readonly folder: string
  readonly network: EditorNetwork
  readonly library: ContractLibrary
  readonly store: FileStore
  readonly onClose: () => void
}

type FileParts = Omit<ContractFile, 'text'>

const maxDocuments = 1000
/** UTF-16 units. */
const maxDocumentLength = 2_000_000
const maxCharacters = 20_000_000
/** All imports are read at every change. */
const maxImports = 10_000

/** UTF-16 units; beyond it unused files are deleted. */
const maxPlaced = 40_000_000

/** Writes are serialized, so the files match the last texts. */
export class ConnectionWorkspace implements ImportWorkspace {
  readonly folder: string
  readonly #options: ConnectionWorkspaceOptions
  readonly #documents = new Map<string, DocumentImports>()
  readonly #declaring = new Map<string, Set<string>>()
  readonly #hasFile = new Set<string>()
  #imports = 0
  #characters = 0
  readonly #names = new FileNames()
  readonly #imported = new Map<string, readonly string[]>()
  /** Servers read only files of imported documents. */
  readonly #unwritten = new Map<string, string>()
  /** The texts are on disk. */
  readonly #placed = new Map<string, FileParts & { readonly characters: number }>()
  #placedCharacters = 0
  #files: ReadonlyMap<string, FileParts> = new Map()
  /** This connection is notified even if another one fetched them. */
  readonly #requested = new Set<string>()
  #madeOf = ''
  #generation = 0
  #queue: Promise<unknown> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(options: ConnectionWorkspaceOptions) {
    this.#options = options
    this.folder = options.folder
  }

  get generation(): number {
    return this.#generation
  }

  async prepare(path: string, text: string): Promise<PreparedText> {
    checkDocumentPath(path)
    if (text.length > maxDocumentLength) {
      throw new ApiError(
        413,
        'document-too-large',
        `The document is too large: ${text.length} characters (limit ${maxDocumentLength}). Split it.`,
        { field: 'text' },
      )
    }
    return this.#inTurn(async () => {
      this.#remember(path, readDocument(text))
      await this.#layOut()
      const prepared = this.#prepared(path)
      await this.#writeOrKeep(path, prepared.text)
      return prepared
    })
  }

  async fetch(contract: ContractName, signal: AbortSignal): Promise<ResolvedContract | undefined> {
    const found = await this.#options.library.resolve(
      this.#options.network,
      contract,
      AbortSignal.any([signal, this.#closing.signal]),
    )
    this.#requested.add(contractId(contract))
    await this.#inTurn(() => this.#layOut())
    return found
  }

  describe(file: string, line: number): ContractAt | undefined {
    const absolute = file.startsWith('file:') ? fileUriPath(file) : join(this.folder, file)
    const path = absolute === undefined ? '' : posix.relative(this.folder, absolute)
    const [folder, name, ...more] = path.split('/')
    if (folder !== contractFolder || name === undefined || more.length > 0) return undefined
    const part = this.#placed.get(name)?.parts.findLast(({ firstLine }) => firstLine <= line)
    return part === undefined
      ? undefined
      : { contract: { address: part.address, name: part.name }, firstLine: part.firstLine }
  }

  async locate(
    path: string,
    at: TextRange['start'],
    range: TextRange | undefined,
  ): Promise<DefinitionPlace | undefined> {
    return locateName({
      path,
      at,
      range,
      documents: this.#documents,
      files: (paths) => this.#filesOf(paths),
      imported: (document) => this.#imported.get(document) ?? [],
    })
  }

  importersOf(path: string): string[] {
    const importers = new Map<string, string[]>()
    for (const [document, locations] of this.#imported) {
      for (const location of locations) {
        const target = targetOf(document, location)
        importers.set(target, [...(importers.get(target) ?? []), document])
      }
    }
    const found: string[] = []
    const seen = new Set([path])
    // Depth-first post-order.
    const visit = (document: string): void => {
      for (const importer of importers.get(document) ?? []) {
        if (seen.has(importer)) continue
        seen.add(importer)
        visit(importer)
        found.unshift(importer)
      }
    }
    visit(path)
    return found
  }

  async remove(path: string): Promise<void> {
    checkDocumentPath(path)
    await this.#inTurn(async () => {
      this.#remember(path, undefined)
      await rm(join(this.folder, path), { force: true })
    })
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new ApiError(503, 'connection-closed', 'Connection closed.'))
    await this.#queue
    await rm(this.folder, { recursive: true, force: true })
    this.#options.onClose()
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => {
      this.#closing.signal.throwIfAborted()
      return run()
    })
    this.#queue = result.catch(() => undefined)
    return result
  }

  /** @throws ApiError 413 */
  #remember(path: string, document: DocumentImports | undefined): void {
    const old = this.#documents.get(path)
    const characters = this.#characters - (old?.text.length ?? 0) + (document?.text.length ?? 0)
    if (
      document !== undefined &&
      (characters > maxCharacters || (old === undefined && this.#documents.size >= maxDocuments))
    ) {
      throw new ApiError(
        413,
        'too-many-documents',
        `Too many open documents (limit ${maxDocuments} documents, ${maxCharacters} characters). Close some.`,
        { field: 'text' },
      )
    }
    if (document !== undefined && this.#imports - countImports(old) + countImports(document) > maxImports) {
      throw new ApiError(
        413,
        'too-many-imports',
        `Too many imports in open documents (limit ${maxImports}). Close some.`,
        { field: 'text' },
      )
    }
    if (document === undefined) this.#deleteDocument(path)
    else this.#keep(path, document)
    const changed = new Set(old?.contracts).symmetricDifference(new Set(document?.contracts))
    if (changed.size === 0) return
    const isWanted = this.#documents
      .entries()
      .some(
        ([other, { statements }]) =>
          other !== path && statements.some((statement) => changed.has(byName(statement) ?? '')),
      )
    if (isWanted) this.#generation++
  }

  #keep(path: string, document: DocumentImports): void {
    this.#count(path, this.#documents.get(path), document)
    this.#documents.set(path, document)
  }

  #deleteDocument(path: string): void {
    this.#count(path, this.#documents.get(path), undefined)
    this.#documents.delete(path)
    this.#imported.delete(path)
    this.#unwritten.delete(path)
    this.#hasFile.delete(path)
  }

  #count(path: string, old: DocumentImports | undefined, document: DocumentImports | undefined): void {
    this.#characters += (document?.text.length ?? 0) - (old?.text.length ?? 0)
    this.#imports += countImports(document) - countImports(old)
    for (const name of new Set(old?.contracts).difference(new Set(document?.contracts))) {
      const declaring = this.#declaring.get(name)
      declaring?.delete(path)
      if (declaring?.size === 0) this.#declaring.delete(name)
    }
    for (const name of document?.contracts ?? [])
      this.#declaring.set(name, (this.#declaring.get(name) ?? new Set()).add(path))
  }

  async #layOut(): Promise<void> {
    const { library, network } = this.#options
    const wanted = this.#documents
      .values()
      .flatMap(({ statements }) => statements.flatMap((statement) => this.#contractsOf(statement)))
    const contracts = library.known(network, wanted)
    const together = this.#documents
      .values()
      .flatMap(({ statements }) =>
        statements.map((statement) => this.#contractsOf(statement).map(contractId)).filter((ids) => ids.length > 1),
      )
      .toArray()
    const versions = [...contracts.values()].map(({ id, hash }) => `${id} ${hash}`)
    const madeOf = JSON.stringify([versions.toSorted(), together.map((ids) => ids.toSorted().join()).toSorted()])
    if (madeOf === this.#madeOf) return
    const files = layOutContracts(contracts, together, (text) => this.#names.nameOf(text))
    for (const file of new Set(files.values())) {
      if (this.#placed.has(file.name)) continue
      await this.#options.store.place(file.text, join(this.folder, contractFolder, file.name))
      this.#placed.set(file.name, { name: file.name, parts: file.parts, characters: file.text.length })
      this.#placedCharacters += file.text.length
    }
    const hasMoved = this.#files.entries().some(([id, { name }]) => files.get(id)?.name !== name && files.has(id))
    const hasMore = files.keys().some((id) => !this.#files.has(id))
    this.#files = new Map([...files].map(([id, { name, parts }]) => [id, this.#placed.get(name) ?? { name, parts }]))
    this.#madeOf = madeOf
    if (this.#placedCharacters > maxPlaced) await this.#clear()
    if (hasMoved || hasMore) this.#generation++
  }

  async #clear(): Promise<void> {
    const used = new Set(this.#files.values().map(({ name }) => name))
    for (const { name, characters } of this.#placed.values()) {
      if (used.has(name)) continue
      this.#placed.delete(name)
      this.#placedCharacters -= characters
      await rm(join(this.folder, contractFolder, name), { force: true })
    }
  }

  #prepared(path: string): PreparedText {
    const document = this.#documents.get(path)
    if (document === undefined) throw new Error(`missing document ${path}`)
    const changes: LocationChange[] = []
    const missing = new Map<string, ContractName>()
    for (const statement of document.statements) {
      const own = this.#documentOf(statement, path)
      const contracts = this.#contractsOf(statement)
      const file = fileOf(contracts.map(contractId), (id) => this.#files.get(id))
      const target =
        own === undefined
          ? file === undefined
            ? undefined
            : locationFrom(path, contractFolder, file)
          : relativePath(path, own)
      if (target !== undefined) changes.push({ location: statement.location, path: target })
      if (own !== undefined) continue
      for (const contract of contracts) {
        const id = contractId(contract)
        if (!this.#requested.has(id) || this.#options.library.isWanted(this.#options.network, contract))
          missing.set(id, contract)
      }
    }
    const text = replaceLocations(document.text, changes)
    const given = text === document.text ? document : readDocument(text)
    this.#imported.set(
      path,
      given.statements.map(({ location }) => location.value),
    )
    return { text, missing: [...missing.values()] }
  }

  #contractsOf(statement: DocumentImports['statements'][number]): ContractName[] {
    const {
      names,
      location: { kind, value },
    } = statement
    if (kind === 'address') return names.map(({ name }) => ({ address: value, name }))
    const name = byName(statement)
    const address =
      name === undefined || this.#declaring.has(name) ? undefined : coreContractAddress(name, this.#options.network)
    return name === undefined || address === undefined ? [] : [{ address, name }]
  }

  #documentOf(statement: DocumentImports['statements'][number], path: string): string | undefined {
    const name = byName(statement)
    if (name === undefined) return undefined
    return this.#declaring
      .get(name)
      ?.values()
      .find((other) => other !== path)
  }

  async #filesOf(paths: readonly string[]): Promise<ContractFile[]> {
    const found = new Map<string, ContractFile>()
    const left = [...paths]
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const file = this.#placed.get(posix.basename(path))
      if (file === undefined || found.has(file.name)) continue
      const text = await readFile(join(this.folder, contractFolder, file.name), 'utf8')
      found.set(file.name, { ...file, text })
      left.push(...readDocument(text).statements.map(({ location }) => location.value))
    }
    return [...found.values()]
  }

  /**
   * Later writes only while another document imports it. Its own imports are written before a
   * server can read them.
   */
  async #writeOrKeep(path: string, text: string): Promise<void> {
    const isRead = this.#imported
      .entries()
      .some(([other, locations]) => other !== path && locations.some((location) => targetOf(other, location) === path))
    if (isRead || !this.#hasFile.has(path)) {
      await this.#write(path, text)
      this.#hasFile.add(path)
      this.#unwritten.delete(path)
    } else this.#unwritten.set(path, text)
    if (this.#unwritten.size === 0) return
    for (const location of this.#imported.get(path) ?? []) {
      const target = targetOf(path, location)
      const kept = target === path ? undefined : this.#unwritten.get(target)
      if (kept === undefined) continue
      await this.#write(target, kept)
      this.#unwritten.delete(target)
    }
  }

  /** @throws ApiError 409 `path-taken` if a part of the path is a link */
  async #haveFolder(folder: string, path: string): Promise<void> {
    const real = await realpath(folder).catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
      await mkdir(folder, { recursive: true })
      return realpath(folder)
    })
    if (real !== folder)
      throw new ApiError(409, 'path-taken', `A part of ${path} is a link. Choose another path.`, {
        field: 'path',
      })
  }

  async #openToWrite(target: string): Promise<FileHandle> {
    const begin = (): Promise<FileHandle> =>
      open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o644)
    return begin().catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
      await mkdir(this.folder, { recursive: true, mode: 0o700 })
      return begin()
    })
  }

  /** Never follows links. @throws ApiError 409 `path-taken` */
  async #write(path: string, text: string): Promise<void> {
    const target = join(this.folder, path)
    try {
      if (dirname(target) !== this.folder) await this.#haveFolder(dirname(target), path)
      const file = await this.#openToWrite(target)
      try {
        await file.writeFile(text)
      } finally {
        await file.close()
      }
    } catch (error) {
      if (['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP'].some((code) => hasCode(error, code))) {
        this.#deleteDocument(path)
        throw new ApiError(
          409,
          'path-taken',
          `${path} conflicts with another document: a file and a folder have the same path. Choose another path.`,
          { field: 'path', cause: error },
        )
      }
      throw error
    }
  }
}

export async function makeProjectFolder(folder: string): Promise<void> {
  await mkdir(join(folder, contractFolder), { recursive: true, mode: 0o700 })
  const networks = {
    emulator: '127.0.0.1:3569',
    mainnet: 'access.mainnet.nodes.onflow.org:9000',
    testnet: 'access.devnet.nodes.onflow.org:9000',
  }
  await writeFile(join(folder, 'flow.json'), `${JSON.stringify({ networks }, null, 2)}\n`, { mode: 0o444 })
}

/** The contract of `import "A"`, `import A from "A"` and `import A`; `Crypto` is built in. */
function byName({ names, location: { kind, value } }: DocumentImports['statements'][number]): string | undefined {
  if (kind !== 'string' || !/^[A-Za-z_]\w*$/.test(value)) return undefined
  return names.every(({ name }) => name === value) ? value : undefined
}

function targetOf(document: string, location: string): string {
  return posix.join(posix.dirname(document), location)
}

function countImports(document: DocumentImports | undefined): number {
  return (document?.statements ?? []).reduce((sum, { names }) => sum + 1 + names.length, 0)
}

function relativePath(from: string, to: string): string {
  const relative = posix.relative(posix.dirname(from), to)
  return relative.startsWith('.') ? relative : `./${relative}`
}

const maxPathLength = 512
const maxDepth = 16

/** @throws ApiError 400 `invalid-path` */
function checkDocumentPath(path: string): void {
  const problem = problemOf(path)
  if (problem === undefined) return
  throw new ApiError(
    400,
    'invalid-path',
    `Invalid document path: ${problem}. Use a path such as contracts/Token.cdc.`,
    { field: 'path' },
  )
}

function problemOf(path: string): string | undefined {
  const parts = path.split('/')
  if (path.length === 0 || path.length > maxPathLength) return `it is empty or longer than ${maxPathLength} characters`
  if (parts.length > maxDepth) return `it has more than ${maxDepth} parts`
  if (/[\0-\x1F\x7F\\]/.test(path) || !path.isWellFormed()) return 'it contains control characters or a backslash'
  if (parts.some((part) => part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 255))
    return 'it contains an empty part, ".", ".." or a part that is too long'
  if (!path.endsWith('.cdc')) return 'it does not end with .cdc'
  if (parts[0] === contractFolder) return `${contractFolder} is reserved for contracts of the chain`
  return undefined
}
