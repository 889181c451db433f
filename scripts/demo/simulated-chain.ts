import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { coas, evmContracts } from '../../simnode/ledger/evm/evm-world.ts'
import type { LedgerNodeOptions } from '../../simnode/ledger/ledger-node.ts'
import { alarmContract, alarmKeeper } from '../../simnode/ledger/world/genesis-contracts.ts'
import { sampleScripts } from '../../simnode/ledger/scripts/sample-scripts.ts'
import { pairs, flow, pebble, usdc, tokens } from '../../simnode/ledger/world/tokens.ts'
import type { Account } from '../../simnode/ledger/world/account.ts'
import { collections } from '../../simnode/ledger/world/collections.ts'
import { publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { userOfTurn } from '../../simnode/ledger/world/users.ts'
import type { Token } from '../../simnode/ledger/world/tokens.ts'
import type { AccountLabel } from '../../src/explorer/admin/labels.ts'
import type { LabelCategory } from '../../src/flow/core-contracts.ts'
import { blockMs, dayMs, editorVariables, pastDays } from './demo-chain.ts'
import type { DemoChain } from './demo-chain.ts'

/** Newest blocks at mainnet's pace; older ones are spread over the past. */
const recentBlocks = 300
/** Minutes. */
const priceRefresh = 5
const nodeMemory = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 } as const

interface SimulatedChainOptions {
  readonly blocks: number
  readonly seed: number
  readonly isStill: boolean
}

/** Runs the node in a thread, so that it does not delay the services. */
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
    introduction:
      `Simulated chain: ${blocks} blocks over ${pastDays} days, indexed within minutes; a new one ` +
      `every ${blockMs / 1000} s.`,
    labels: simulatedLabels(),
    samples: sampleScripts,
    variables: {
      // No limit for the demo's own node.
      CHAIN_SCRIPT_RPS: '0',
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

interface PriceFeedServer {
  readonly url: string
  stop(): Promise<void>
}

const hourMs = 3_600_000
const historyStepMs = 6 * hourMs
/** Price in USD; swing is a share of it. */
const courses: readonly { readonly token: Token; readonly price: number; readonly swing: number }[] = [
  { token: flow, price: 0.55, swing: 0.12 },
  { token: usdc, price: 1, swing: 0.002 },
  { token: pebble, price: 0.011, swing: 0.3 },
]
/** Period in hours, relative amplitude. */
const waves = [
  [311, 0.5],
  [97, 0.25],
  [29, 0.15],
  [7.3, 0.07],
  [1.7, 0.03],
] as const

/** For PRICE_FEED_URL. The first response includes past prices. @param from Unix ms */
export async function startPriceFeed({ from }: { readonly from: number }): Promise<PriceFeedServer> {
  let next = from
  const server = createServer((_request, response) => {
    const now = Date.now()
    const times: number[] = []
    for (; next < now; next += historyStepMs) times.push(next)
    const prices = [...times, now].flatMap((time) => courses.map((course) => priceAt(course, time)))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ prices }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function priceAt({ token, price, swing }: (typeof courses)[number], timeMs: number): Record<string, string> {
  const hours = timeMs / hourMs
  const rise = waves.reduce(
    (sum, [length, share], nth) => sum + share * Math.sin((2 * Math.PI * hours) / length + nth + token.index),
    0,
  )
  return {
    token: `A.${token.contract.hex}.${token.name}`,
    symbol: token.symbol,
    currency: 'USD',
    time: new Date(timeMs).toISOString(),
    price: (price * (1 + swing * rise)).toFixed(6),
  }
}

type Label = Omit<AccountLabel, 'isBuiltIn'>

const userLabels: readonly (readonly [label: string, category: LabelCategory])[] = [
  ['Harbour Exchange', 'exchange'],
  ['Old Town Treasury', 'whale'],
  ['Lantern Exchange', 'exchange'],
  ['The Night Market', 'nft'],
  ['North Quay Savings', 'whale'],
  ['Heron Collectors’ Club', 'nft'],
  ['Tidewater Loans', 'defi'],
  ['Bakery on the Quay', 'custom'],
  ['Ferry Tickets', 'service'],
  ['Signal Box Gallery', 'nft'],
  ['Grandmother’s Chest', 'whale'],
  ['Bookshop by the Bridge', 'custom'],
  ['Sleeping Car Company', 'service'],
  ['Café Zürich', 'custom'],
  ['Reading Room', 'custom'],
  ['Mill Pond Fund', 'defi'],
  ['Tram Depot', 'service'],
  ['Botanical Garden', 'custom'],
  ['Cinema Aurora', 'custom'],
  ['Clockmaker', 'custom'],
]

export function simulatedLabels(): readonly Label[] {
  return [
    ...tokens
      .filter((token) => token !== flow)
      .map(({ contract, title, symbol }) => label(contract, symbol, `${title} Issuer`, 'service')),
    ...collections.map(({ contract, title, name }) => label(contract, name, `${title} Studio`, 'nft')),
    ...pairs.map(({ contract, token0, token1 }) =>
      label(contract, 'pair', `Exchange of ${token0.symbol} and ${token1.symbol}`, 'defi'),
    ),
    label(alarmContract, 'alarm', 'Alarm', 'service'),
    label(alarmKeeper, 'alarm-keeper', 'Keeper of the Alarm', 'custom'),
    ...userLabels.map(([text, category], place) => label(userOfTurn(place), text, text, category)),
    evmLabel(evmContracts.stableCoin, 'stable-coin', 'USD Coin on the EVM', 'defi'),
    evmLabel(evmContracts.wrappedCoin, 'pebble-coin', 'Pebble Coin on the EVM', 'defi'),
    evmLabel(evmContracts.pictures, 'pictures', 'Herons on the EVM', 'nft'),
    evmLabel(evmContracts.items, 'items', 'Tools and Seeds', 'nft'),
    ...coas
      .slice(0, userLabels.length)
      .map(({ address }, place) =>
        evmLabel(address, 'owned', `${userLabels[place]?.[0] ?? ''} on the EVM`, userLabels[place]?.[1] ?? 'custom'),
      ),
  ]
}

function label({ hex }: Account, name: string, text: string, category: LabelCategory): Label {
  return { address: `0x${hex}`, tag: tagOf(name), label: text, category }
}

function evmLabel(address: Buffer, tag: string, text: string, category: LabelCategory): Label {
  return { address: `0x${address.toString('hex')}`, tag, label: text, category }
}

function tagOf(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, '')
    .replaceAll(' ', '-')
}
