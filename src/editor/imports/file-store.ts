import { createHash } from 'node:crypto'
import { copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const length = 6

/**
 * Short names for texts, from their hashes, such as `3f2a9c.cdc`: they replace an address in a line. Texts of one
 * folder never share a name.
 */
export class FileNames {
  /** The whole hash of the text, by name. */
  readonly #hashes = new Map<string, string>()

  /** The name of a text in this folder, the same whenever it is asked for. */
  nameOf(text: string): string {
    const hash = hashOf(text)
    const digits = BigInt(`0x${hash}`).toString(36)
    for (let at = 0; ; at++) {
      // Beyond the digits the place itself makes the name another.
      const part = at + length <= digits.length ? digits.slice(at, at + length) : `${digits.slice(0, length)}${at}`
      const name = `${part}.cdc`
      const owner = this.#hashes.get(name)
      if (owner !== undefined && owner !== hash) continue
      this.#hashes.set(name, hash)
      return name
    }
  }
}

/** SHA-256 of a text, in hex digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What a file system says that cannot link: another device, no links at all, or too many to one file. */
const cannotLink: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOSYS', 'ENOTSUP'])

/**
 * Texts by SHA-256, each once on disk and read-only; folders of connections get links. The least recently used are
 * deleted first, which does not affect the links.
 */
export class FileStore {
  readonly #folder: string
  readonly #maxBytes: number
  /** Bytes of each text by its hash, in the order of their last use. */
  readonly #sizes = new Map<string, number>()
  readonly #writing = new Map<string, Promise<void>>()
  #bytes = 0

  /** @param maxBytes how much is kept for further connections, in bytes of UTF-8 */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Puts a text where `path` says, unless something is there already. */
  async place(text: string, path: string): Promise<void> {
    const hash = hashOf(text)
    await this.#have(hash, text)
    try {
      await link(this.#pathOf(hash), path)
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return
      if (hasCode(error, 'ENOENT')) return writeOwn(path, text)
      if (!(error instanceof Error && 'code' in error && cannotLink.has(String(error.code)))) throw error
      await copyFile(this.#pathOf(hash), path).catch(() => writeOwn(path, text))
    }
  }

  async #have(hash: string, text: string): Promise<void> {
    const size = this.#sizes.get(hash)
    if (size !== undefined) {
      this.#sizes.delete(hash)
      this.#sizes.set(hash, size)
      return
    }
    const writing = this.#writing.get(hash) ?? this.#write(hash, text).finally(() => this.#writing.delete(hash))
    this.#writing.set(hash, writing)
    await writing
  }

  async #write(hash: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const path = this.#pathOf(hash)
    // Somebody who reads sees the whole of it or nothing.
    await writeFile(`${path}.new`, text, { mode: 0o444, flag: 'w' })
    await rename(`${path}.new`, path)
    const size = Buffer.byteLength(text)
    this.#sizes.set(hash, size)
    this.#bytes += size
    for (const [oldest, bytes] of this.#sizes) {
      if (this.#bytes <= this.#maxBytes || oldest === hash) break
      this.#sizes.delete(oldest)
      this.#bytes -= bytes
      await rm(this.#pathOf(oldest), { force: true })
    }
  }

  #pathOf(hash: string): string {
    return join(this.#folder, `${hash}.cdc`)
  }
}

/** A file that was removed from the store meanwhile, or cannot be shared. */
async function writeOwn(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o444, flag: 'wx' }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

/** Whether an error is one of the file system with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The absolute path of a `file:` URI; undefined for one that names no file of this machine, or is no URI at all. */
export function fileUriPath(uri: string): string | undefined {
  if (!uri.startsWith('file:///') || !URL.canParse(uri)) return undefined
  try {
    return fileURLToPath(uri)
  } catch (error) {
    // Bytes that are no UTF-8, or a slash within a name.
    if (error instanceof URIError || error instanceof TypeError) return undefined
    throw error
  }
}
