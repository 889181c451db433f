import {
  fillEvmExplorer,
  fillIndexer,
  knownChain,
  otherChain,
  perturbIndexer,
} from '../../../../scripts/eval/databases.ts'
import { openEvaluation } from '../../../../scripts/eval/evaluate.ts'
import type { Evaluation } from '../../../../scripts/eval/evaluate.ts'
import { createEmptyDatabase, createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { atEndOfTests } from '../../../support/cleanups.ts'

/** Evaluation databases and the query service on them. Read-only, shared by all tests. */
export interface EvaluatedWorld {
  readonly evaluation: Evaluation
  /** The indexer database with the known answers. */
  readonly indexer: TestDatabase
}

let world: Promise<EvaluatedWorld> | undefined

/** Created on first use (about 20 s), closed after all tests. */
export function evaluatedWorld(): Promise<EvaluatedWorld> {
  world ??= makeWorld()
  return world
}

async function makeWorld(): Promise<EvaluatedWorld> {
  const indexer = { known: await createTestDatabase(), other: await createTestDatabase() }
  const evm = { known: await createEmptyDatabase(), other: await createEmptyDatabase() }
  await fillIndexer(indexer.known, knownChain)
  await fillIndexer(indexer.other, otherChain)
  await perturbIndexer(indexer.other.pool)
  await fillEvmExplorer(evm.known.pool, 'known')
  await fillEvmExplorer(evm.other.pool, 'other')
  const evaluation = await openEvaluation({
    indexer: { known: indexer.known.url, other: indexer.other.url },
    evm: { known: evm.known.url, other: evm.other.url },
  })
  atEndOfTests(async () => {
    await evaluation[Symbol.asyncDispose]()
    for (const database of [indexer.known, indexer.other, evm.known, evm.other]) await database.drop()
  })
  return { evaluation, indexer: indexer.known }
}
