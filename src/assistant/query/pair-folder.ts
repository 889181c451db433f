import { createHash, randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Logger } from '../../platform/log.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { queryTargets } from './query-service.ts'

export const approvedPairSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  target: z.enum(queryTargets),
  question: z.string(),
  sql: z.string(),
  approved_at: z.iso.datetime().describe('Approval time, ISO 8601 in UTC.'),
})

export type ApprovedPair = z.output<typeof approvedPairSchema>

export type NewPair = Pick<ApprovedPair, 'target' | 'question' | 'sql'>

/** Equal for questions that differ only in case and spaces. */
export function pairId({ target, question }: NewPair): string {
  const plain = question.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/gu, ' ')
  return createHash('sha256').update(`${target}\0${plain}`).digest('hex').slice(0, 16)
}

const fileName = /^([0-9a-f]{16})\.json$/

/**
 * One file per pair, so that processes can share the folder: writes are atomic, and a deletion
 * touches one file.
 */
export class PairFolder {
  readonly #folder: string
  readonly #log: Logger

  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Changes when any process adds or deletes a pair; undefined without a folder. */
  async version(): Promise<bigint | undefined> {
    try {
      return (await stat(this.#folder, { bigint: true })).mtimeNs
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async read(): Promise<ApprovedPair[]> {
    const pairs: ApprovedPair[] = []
    for (const name of await this.#names()) {
      const pair = await this.#readFile(name)
      if (pair !== undefined) pairs.push(pair)
    }
    return pairs
  }

  /** Durable when it resolves. */
  async write(pair: ApprovedPair): Promise<void> {
    await makeFolder(this.#folder)
    const path = join(this.#folder, `${pair.id}.json`)
    const draft = `${path}.${randomBytes(4).toString('hex')}.new`
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(`${JSON.stringify(pair)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    await this.#syncFolder()
  }

  async delete(id: string): Promise<boolean> {
    try {
      await rm(join(this.#folder, `${id}.json`))
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
    await this.#syncFolder()
    return true
  }

  async #readFile(name: string): Promise<ApprovedPair | undefined> {
    let text: string
    try {
      text = await readFile(join(this.#folder, name), 'utf8')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    const parsed = approvedPairSchema.safeParse(parseJson(text))
    if (parsed.success && `${parsed.data.id}.json` === name) return parsed.data
    this.#log.warn({ file: join(this.#folder, name) }, 'Invalid example file skipped')
    return undefined
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => fileName.test(name))
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  /** A file name survives a crash only when its folder is synced. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
