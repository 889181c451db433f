import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { LedgerNodeOptions } from '../../src/simnode/ledger/ledger-node.ts'
import { sampleScripts } from '../../src/simnode/ledger/scripts/sample-scripts.ts'
import { pairs } from '../../src/simnode/ledger/swaps/pairs.ts'
import { publishedPayerSetting } from '../../src/simnode/ledger/world/outside.ts'
import { blockMs, dayMs, editorVariables, pastDays } from './demo-chain.ts'
import type { DemoChain } from './demo-chain.ts'
import { startPriceFeed } from './price-feed.ts'
import { simulatedLabels } from './simulated-labels.ts'

/** So many of the newest blocks were made at mainnet's pace, as those that come; the others are spread over the past. */
const recentBlocks = 300
/** Minutes. */
const priceRefresh = 5
/** MB. The node needs a few recent blocks and the movements of a tide. */
const nodeMemory = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 } as const

export interface SimulatedChainOptions {
  readonly blocks: number
  readonly seed: number
  readonly isStill: boolean
}

/** A node with a chain made of code, in a thread of its own: it takes no time from the services. */
export async function startSimulatedChain({ blocks, seed, isStill }: SimulatedChainOptions): Promise<DemoChain> {
  const head = blocks - 1
  const now = Date.now()
  const options: LedgerNodeOptions = {
    seed,
    head,
    hasPayer: true,
    hasRest: true,
    ...(isStill ? {} : { intervalMs: blockMs }),
    clock: {
      height: head - recentBlocks,
      time: new Date(now - recentBlocks * blockMs),
      spacingMs: blockMs,
      pastSpacingMs: (pastDays * dayMs) / (head - recentBlocks),
    },
  }
  const thread = new Worker(new URL('./simulated-node.ts', import.meta.url), {
    workerData: options,
    resourceLimits: nodeMemory,
  })
  const failed = once(thread, 'error').then(([error]) => {
    throw error
  })
  const [[{ endpoint, api }], prices] = await Promise.all([
    Promise.race([once(thread, 'message') as Promise<[{ readonly endpoint: string; readonly api: string }]>, failed]),
    startPriceFeed({ from: now - pastDays * dayMs }),
  ])
  return {
    endpoint,
    introduction: [
      `flowfarm is running on a simulated chain: ${blocks} blocks of history, and a new one every ${blockMs / 1000} s.`,
      `The history is given times over the last ${pastDays} days, so that charts have days to show; it is filled in`,
      'from the newest block down, in a minute or so.',
    ],
    // The exchange of FLOW and dollars.
    watched: `0x${pairs[0]?.contract.hex ?? ''}`,
    labels: simulatedLabels(),
    samples: sampleScripts,
    variables: {
      // The node is our own: names and pictures need not wait for one another.
      CHAIN_SCRIPT_RPS: '0',
      // Pays for accounts of the wallet, which the simulated chain makes as a testnet does.
      WALLET_TESTNET_PAYER: publishedPayerSetting,
      WALLET_TESTNET_FUNDS: '100',
      ...editorVariables(api),
      ENABLE_PRICE_FEED: 'true',
      PRICE_FEED_URL: prices.url,
      PRICE_REFRESH_MIN: String(priceRefresh),
    },
    failed,
    async stop() {
      const ended = once(thread, 'exit')
      thread.postMessage('stop', [])
      await Promise.all([ended, prices.stop()])
    },
  }
}
