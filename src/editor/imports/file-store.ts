import { createHash } from 'node:crypto'
import { copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const length = 6

/** Short names from hashes, such as `3f2a9c.cdc`, which fit in place of an address. */
export class FileNames {
  readonly #hashes = new Map<string, string>()

  nameOf(text: string): string {
    const hash = hashOf(text)
    const digits = BigInt(`0x${hash}`).toString(36)
    for (let at = 0; ; at++) {
      const part = at + length <= digits.length ? digits.slice(at, at + length) : `${digits.slice(0, length)}${at}`
      const name = `${part}.cdc`
      const owner = this.#hashes.get(name)
      if (owner !== undefined && owner !== hash) continue
      this.#hashes.set(name, hash)
      return name
    }
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Another device, unsupported, or too many links. */
const cannotLink: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOSYS', 'ENOTSUP'])

/** Texts by SHA-256, read-only; connections get hard links, which deletion does not affect. */
export class FileStore {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #sizes = new Map<string, number>()
  readonly #writing = new Map<string, Promise<void>>()
  #bytes = 0

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

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
    // Atomic for readers.
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

async function writeOwn(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o444, flag: 'wx' }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

export function fileUriPath(uri: string): string | undefined {
  if (!uri.startsWith('file:///') || !URL.canParse(uri)) return undefined
  try {
    return fileURLToPath(uri)
  } catch (error) {
    // Invalid UTF-8, or a slash within a name.
    if (error instanceof URIError || error instanceof TypeError) return undefined
    throw error
  }
}
