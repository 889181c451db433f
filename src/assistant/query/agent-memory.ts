import MiniSearch from 'minisearch'
import { ApiError } from '../../platform/errors.ts'
import { pairId } from './pair-folder.ts'
import type { NewPair, ApprovedPair, PairFolder } from './pair-folder.ts'
import type { QueryTarget } from './query-service.ts'

export interface FoundPair extends ApprovedPair {
  readonly similarity: number
}

export interface AgentMemoryOptions {
  readonly folder: PairFolder
  readonly maxPairs?: number
}

const minSimilarity = 0.3

/**
 * Questions with user-approved statements. All methods throw ApiError 503 `memory-unavailable` when
 * the folder cannot be used.
 */
export class AgentMemory {
  readonly #folder: PairFolder
  readonly #maxPairs: number
  #pairs = new Map<string, ApprovedPair>()
  #grams = new Map<string, ReadonlySet<string>>()
  #index = emptyIndex()
  #version: bigint | 'uncertain' | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor({ folder, maxPairs = 2000 }: AgentMemoryOptions) {
    this.#folder = folder
    this.#maxPairs = maxPairs
  }

  /** Replaces a pair with the same question. @throws ApiError 409 `memory-full` */
  async add(given: NewPair): Promise<ApprovedPair> {
    const pair = {
      id: pairId(given),
      target: given.target,
      question: given.question.trim(),
      sql: given.sql.trim(),
      approved_at: new Date().toISOString(),
    }
    return this.#serialize(async () => {
      if (!this.#pairs.has(pair.id) && this.#pairs.size >= this.#maxPairs) {
        throw new ApiError(
          409,
          'memory-full',
          `Example limit reached (${this.#maxPairs}). Delete examples that are not needed.`,
        )
      }
      await this.#folder.write(pair)
      return pair
    })
  }

  async list(target?: QueryTarget): Promise<ApprovedPair[]> {
    return this.#serialize(() =>
      [...this.#pairs.values()]
        .filter((pair) => target === undefined || pair.target === target)
        .sort((a, b) =>
          a.approved_at === b.approved_at ? compare(a.id, b.id) : compare(b.approved_at, a.approved_at),
        ),
    )
  }

  async search(target: QueryTarget, question: string, limit: number): Promise<FoundPair[]> {
    const wanted = new Set(nGrams(question))
    return this.#serialize(() => {
      const hits = this.#index.search(question, { filter: (hit) => this.#pairs.get(String(hit.id))?.target === target })
      return hits
        .flatMap(({ id }) => {
          const [pair, grams] = [this.#pairs.get(String(id)), this.#grams.get(String(id))]
          return pair === undefined || grams === undefined ? [] : [{ ...pair, similarity: similarity(wanted, grams) }]
        })
        .filter((found) => found.similarity >= minSimilarity)
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, limit)
    })
  }

  async delete(id: string): Promise<boolean> {
    return this.#serialize(() => (this.#pairs.has(id) ? this.#folder.delete(id) : false))
  }

  async clear(target?: QueryTarget): Promise<number> {
    return this.#serialize(async () => {
      const chosen = [...this.#pairs.values()].filter((pair) => target === undefined || pair.target === target)
      for (const { id } of chosen) await this.#folder.delete(id)
      return chosen.length
    })
  }

  #serialize<Result>(act: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#last.then(async () => {
      try {
        await this.#refresh()
        return await act()
      } catch (error) {
        throw explained(error)
      }
    })
    this.#last = result.catch(() => undefined)
    return result
  }

  async #refresh(): Promise<void> {
    const version = await this.#folder.version()
    if (version === this.#version) return
    const pairs = version === undefined ? [] : await this.#folder.read()
    this.#pairs = new Map(pairs.map((pair) => [pair.id, pair]))
    this.#grams = new Map(pairs.map(({ id, question }) => [id, new Set(nGrams(question))]))
    this.#index = emptyIndex()
    this.#index.addAll(pairs)
    // File times are coarse: a second change within the same tick would go undetected.
    this.#version = version !== undefined && isYoung(version) ? 'uncertain' : version
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  const remedy = 'check that CHROMA_PERSIST_DIR is readable and writable and its disk is not full.'
  return new ApiError(
    503,
    'memory-unavailable',
    `Approved examples are unavailable (${String(error.code)}): ${remedy}`,
    { cause: error },
  )
}

/** Within the last second or in the future, ns since 1970. */
function isYoung(time: bigint): boolean {
  return BigInt(Date.now()) * 1_000_000n - time < 1_000_000_000n
}

function emptyIndex(): MiniSearch<ApprovedPair> {
  return new MiniSearch<ApprovedPair>({ fields: ['question'], tokenize: nGrams, processTerm: (term) => term })
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

const runs = /[\p{L}\p{N}]+/gu

/** Trigrams of words with marked ends; single characters and pairs for scripts without spaces. */
export function nGrams(text: string): string[] {
  return [...text.normalize('NFKC').toLowerCase().matchAll(runs)].flatMap(([run]) =>
    splitByScript(run).flatMap((part) => (unspaced.test(part) ? pairsOf(part) : triplesOf(part))),
  )
}

function splitByScript(run: string): string[] {
  const parts: string[] = []
  let wasUnspaced: boolean | undefined
  for (const character of run) {
    const isUnspaced = unspaced.test(character)
    if (isUnspaced === wasUnspaced) parts[parts.length - 1] += character
    else parts.push(character)
    wasUnspaced = isUnspaced
  }
  return parts
}

function pairsOf(part: string): string[] {
  const characters = Array.from(part)
  return [...characters, ...characters.slice(1).map((character, i) => `${characters[i] ?? ''}${character}`)]
}

function triplesOf(word: string): string[] {
  const characters = ['<', ...Array.from(word), '>']
  return characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''))
}

/** Dice coefficient, from 0 to 1. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  return (2 * a.intersection(b).size) / (a.size + b.size)
}
