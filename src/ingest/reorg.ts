import type pg from 'pg'
import { FatalError } from '../base/errors.ts'
import { withTransaction } from '../db/pool.ts'
import type { ChainSource } from '../access/chain-source.ts'
import { NotYetError } from '../access/source-errors.ts'
import { rollBackRaw } from './sql/roll-back.ts'
import { storedBlockId } from './sql/stored-block-ids.ts'

export interface ReorgOptions {
  readonly pool: pg.Pool
  readonly source: Pick<ChainSource, 'blockIdAt'>
  /** Height at which the chains are known to differ, or the one above it. */
  readonly height: number
  /** Highest and lowest stored height. */
  readonly stored: { readonly highest: number; readonly lowest: number }
  readonly maxDepth: number
  /** Takes away what others made of the blocks above `ancestor`: first thing in the transaction that rolls them back. */
  readonly beforeRollBack?: ((client: pg.ClientBase, ancestor: number) => Promise<void>) | undefined
  readonly signal: AbortSignal
}

export interface Reorg {
  /** Last height that both chains share. */
  readonly ancestor: number
  /** Stored blocks above it. */
  readonly depth: number
}

/**
 * Finds the last block that the stored chain and the node's have in common and takes away everything above it.
 * Once two chains part they never meet again, so the search first doubles its steps down and then halves the rest:
 * a fork of 1,000 blocks takes 20 questions.
 * @throws FatalError `reorg-too-deep` when it lies more than `maxDepth` below the stored head; nothing is deleted then
 */
export async function resolveFork(options: ReorgOptions): Promise<Reorg> {
  const { pool, stored, maxDepth } = options
  const floor = Math.max(stored.lowest, stored.highest - maxDepth)
  let differs = Math.min(options.height, stored.highest)
  if (await isShared(options, differs)) {
    // The chains part right above: the node's next block did not fit on ours when it was asked, but this one does.
    return finish(differs)
  }
  let step = 1
  let shared: number | undefined
  while (shared === undefined) {
    const candidate = Math.max(floor, differs - step)
    if (candidate === differs) throw tooDeep(options, floor)
    if (await isShared(options, candidate)) shared = candidate
    else {
      differs = candidate
      step *= 2
    }
  }
  while (differs - shared > 1) {
    const middle = Math.floor((shared + differs) / 2)
    if (await isShared(options, middle)) shared = middle
    else differs = middle
  }
  return finish(shared)

  async function finish(ancestor: number): Promise<Reorg> {
    const depth = stored.highest - ancestor
    if (depth > maxDepth) throw tooDeep(options, floor)
    if (depth > 0) {
      await withTransaction(pool, async (client) => {
        await options.beforeRollBack?.(client, ancestor)
        await rollBackRaw(client, ancestor)
      })
    }
    return { ancestor, depth }
  }
}

async function isShared({ pool, source, signal }: ReorgOptions, height: number): Promise<boolean> {
  const ours = await storedBlockId(pool, height)
  if (ours === undefined) return false
  try {
    return ours.equals(await source.blockIdAt(height, signal))
  } catch (error) {
    // A chain that was rolled back may be shorter than ours for a while: it does not have our block.
    if (error instanceof NotYetError) return false
    throw error
  }
}

function tooDeep({ stored, maxDepth }: ReorgOptions, floor: number): FatalError {
  return new FatalError(
    'reorg-too-deep',
    `The node's chain and the stored one differ at height ${floor} already, ${stored.highest - floor} blocks below the stored head ` +
      `${stored.highest}. MAX_REORG_DEPTH is ${maxDepth}. Nothing was deleted. Check that CHAIN_ACCESS_NODE serves the right chain; ` +
      'if it does, raise MAX_REORG_DEPTH or start with an empty database.',
  )
}
