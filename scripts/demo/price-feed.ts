import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { flow, pebble, usdc } from '../../src/simnode/ledger/world/tokens.ts'
import type { Token } from '../../src/simnode/ledger/world/tokens.ts'

export interface PriceFeedServer {
  readonly url: string
  stop(): Promise<void>
}

const hourMs = 3_600_000
const historyStepMs = 6 * hourMs
/** What one costs in dollars, and by how much of that it moves. */
const courses: readonly { readonly token: Token; readonly price: number; readonly swing: number }[] = [
  { token: flow, price: 0.55, swing: 0.12 },
  { token: usdc, price: 1, swing: 0.002 },
  { token: pebble, price: 0.011, swing: 0.3 },
]
/** Ups and downs of prices: how long they take, in hours, and how large they are beside each other. */
const waves = [
  [311, 0.5],
  [97, 0.25],
  [29, 0.15],
  [7.3, 0.07],
  [1.7, 0.03],
] as const

/**
 * A source of prices for PRICE_FEED_URL: invented ones that follow from the time alone. Whoever asks first is told those of
 * the past too.
 * @param from the first of them, in milliseconds since 1970
 */
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
