import type { SystemWork } from '../activity.ts'
import { lazy } from '../lazy.ts'
import { placeInTide, tideLength, tideOf } from '../world/tide.ts'
import { closeEvmBlock } from './evm-block.ts'
import type { EvmBlock } from './evm-block.ts'
import { blockExecuted } from './evm-events.ts'
import { makeContracts } from './evm-genesis.ts'
import { hashBefore } from './evm-start.ts'

/** The first block that anything runs in. */
const firstHeight = 1

/** Closes the EVM's block with each block of the chain, also where nothing was run. */
export const evmBlocks: SystemWork = {
  name: 'evm-blocks',
  chunk(moment) {
    const {
      state: { evm },
      height,
      timeMs,
      random,
    } = moment
    const first = height === firstHeight ? makeContracts(moment) : []
    const { lastHash, totalSupply, transactions } = evm
    const prevrandao = random.bytes(32)
    const isLastOfTide = placeInTide(height) === tideLength - 1
    const block = lazy((): EvmBlock => {
      const closed = closeEvmBlock({
        parentHash: lastHash(),
        height,
        timestamp: Math.floor(timeMs / 1000),
        totalSupply,
        prevrandao,
        transactions,
      })
      return isLastOfTide ? { ...closed, hash: hashBefore(tideOf(height) + 1) } : closed
    })
    evm.lastHash = () => block().hash
    evm.transactions = []
    return [...first, blockExecuted(block)]
  },
}
