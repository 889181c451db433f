import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { quantile } from '../farm/quantile.ts'
import { cpuSeconds } from '../process-usage.ts'
import { messageOf } from './mcp-calls.ts'
import type { McpCall } from './mcp-calls.ts'

export interface CallLoad {
  readonly url: string
  /** Of the server. */
  readonly pid: number
  readonly call: McpCall
  readonly calls: number
  /** Each sends one call after the other. */
  readonly connections: number
}

export interface CallFigures {
  readonly perSecond: number
  /** Processor time of the server for one call, in microseconds. */
  readonly nodeUs: number
  readonly medianMs: number
  readonly p99Ms: number
}

/** Calls before the clock starts: the server's code is compiled by then. */
const warmUpCalls = 500

/** @throws Error for the first answer that is none */
export async function measureCalls({ url, pid, call, calls, connections }: CallLoad): Promise<CallFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let id = 0
  const run = async (count: number): Promise<number[]> => {
    const times: number[] = []
    let left = count
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (left-- > 0) {
          const begin = performance.now()
          await send(agent, url, messageOf(call, ++id))
          times.push(performance.now() - begin)
        }
      }),
    )
    return times
  }
  try {
    await run(warmUpCalls)
    const [begin, cpu] = [performance.now(), cpuSeconds(pid)]
    const times = await run(calls)
    const seconds = (performance.now() - begin) / 1000
    return {
      perSecond: calls / seconds,
      nodeUs: ((cpuSeconds(pid) - cpu) / calls) * 1e6,
      medianMs: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
    }
  } finally {
    agent.destroy()
  }
}

async function send(
  agent: Agent,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<void> {
  const sent = request(url, { method: 'POST', agent, headers }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  if (response.statusCode !== 200 || !answer.includes('"result"') || answer.includes('"isError":true')) {
    throw new Error(`${response.statusCode}: ${answer.slice(0, 500)}`)
  }
}
