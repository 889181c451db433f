import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { median, quantile } from '../farm/quantile.ts'

export interface BarePosts {
  readonly perSecond: number
  /** From a request's start to its answer, one at a time. */
  readonly medianMs: number
  readonly p99Ms: number
}

/** The size of a delivery's body. */
const body = JSON.stringify({ block_height: 1, filler: 'x'.repeat(600) })

/** What webhooks cannot do without: HTTP requests of their size to the same receivers, over connections that stay, of blocks that nobody makes. */
export async function measureBarePosts(count: number, connections: number): Promise<BarePosts> {
  const receiver = fork(join(import.meta.dirname, 'receiver.ts'))
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const post = async (nth: number): Promise<void> => {
    const sent = request({
      agent,
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/quick/0',
      headers: { 'content-type': 'application/json', 'webhook-id': String(nth), 'content-length': body.length },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
    await once(answer.resume(), 'end')
  }
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await post(next++)
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: connections }, lane))
  const perSecond = count / ((performance.now() - begun) / 1000)
  const times: number[] = []
  for (let nth = 0; nth < 200; nth++) {
    const at = performance.now()
    await post(nth)
    times.push(performance.now() - at)
  }
  agent.destroy()
  receiver.disconnect()
  await once(receiver, 'exit')
  return { perSecond, medianMs: median(times), p99Ms: quantile(times, 0.99) }
}
