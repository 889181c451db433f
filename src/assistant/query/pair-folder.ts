import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Logger } from '../../platform/log.ts'
import { queryTargets } from './query-service.ts'

/** A question with the statement that a user approved as its answer, as it is kept on disk and exported. */
export const keptPairSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  target: z.enum(queryTargets),
  question: z.string(),
  sql: z.string(),
  kept_at: z.iso.datetime().describe('When it was approved, ISO 8601 in UTC.'),
})

export type KeptPair = z.output<typeof keptPairSchema>

export type GivenPair = Pick<KeptPair, 'target' | 'question' | 'sql'>

/** The same for the same target and question however they are spaced, so that a second approval takes the place of the first. */
export function pairId({ target, question }: GivenPair): string {
  const plain = question.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/gu, ' ')
  return createHash('sha256').update(`${target}\0${plain}`).digest('hex').slice(0, 16)
}

const fileName = /^([0-9a-f]{16})\.json$/

/**
 * Pairs on disk, each in a file of its own, so that several processes can share the folder: a file is there whole or not at all,
 * whatever is killed, and whoever deletes one touches no other.
 */
export class PairFolder {
  readonly #folder: string
  readonly #log: Logger

  /** @param folder is made when the first pair is written */
  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Changes when a pair was added or deleted, by whichever process; undefined while there is no folder. */
  async version(): Promise<bigint | undefined> {
    try {
      return (await stat(this.#folder, { bigint: true })).mtimeNs
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** All of them. A file that is no pair is left alone and told in the log. */
  async read(): Promise<KeptPair[]> {
    const pairs: KeptPair[] = []
    for (const name of await this.#names()) {
      const pair = await this.#readFile(name)
      if (pair !== undefined) pairs.push(pair)
    }
    return pairs
  }

  /** On disk when it resolves; takes the place of one with the same id. */
  async write(pair: KeptPair): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
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

  /** Whether there was one. */
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

  async #readFile(name: string): Promise<KeptPair | undefined> {
    let text: string
    try {
      text = await readFile(join(this.#folder, name), 'utf8')
    } catch (error) {
      // Another process has deleted it since the folder was listed.
      if (isMissing(error)) return undefined
      throw error
    }
    const parsed = keptPairSchema.safeParse(parseJson(text))
    if (parsed.success && `${parsed.data.id}.json` === name) return parsed.data
    this.#log.warn(
      { file: join(this.#folder, name) },
      'this file is no pair of a question and a statement; it is not used',
    )
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

  /** A name outlives a crash only when its folder is on disk too. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

/** Undefined where it is no JSON. */
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
