import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { setTimeout as pass } from 'node:timers/promises'

/**
 * A provider of models for the benchmark, which speaks chat completions: a process of its own, to be forked; tells its address. A question `now …` is
 * answered at once by the clock; any other has a statement run first, and then the clock and 150 words, one each 50 ms. They begin one after the other
 * within four seconds from the moment on at which as many as it says ask, so that all are there at once.
 */

const words = 150
/** Some 20 pieces a second, as large models send them. */
const betweenMs = 50
const withinMs = 4000

const statement = 'SELECT n, md5(n::text) AS name, n * 1.5 AS amount FROM generate_series(1, 500) AS n'

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

const everybody = Promise.withResolvers<void>()
let asking = 0

const server = createServer((request, response) => {
  response.socket?.setNoDelay(true)
  readJson(request)
    .then((body) => answer(body as Body, response))
    .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
}).listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
process.once('disconnect', () => process.exit(0))

async function answer({ messages }: Body, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  if (question.startsWith('now')) {
    sayTime(response)
    return end(response, 'stop')
  }
  if (messages.at(-1)?.role !== 'tool') {
    send(response, {
      tool_calls: [
        {
          index: 0,
          id: 'call',
          type: 'function',
          function: { name: 'run_indexer_sql', arguments: JSON.stringify({ sql: statement }) },
        },
      ],
    })
    return end(response, 'tool_calls')
  }
  asking++
  if (asking === Number(/^(\d+) ask/.exec(question)?.[1] ?? 1)) everybody.resolve()
  await everybody.promise
  await pass(Math.random() * withinMs)
  sayTime(response)
  for (let n = 0; n < words; n++) {
    await pass(betweenMs)
    send(response, { content: ` word ${n}` })
  }
  end(response, 'stop')
}

/** The monotonic clock of the machine, which all its processes share, in nanoseconds. */
function sayTime(response: ServerResponse): void {
  send(response, { content: String(process.hrtime.bigint()) })
}

function send(response: ServerResponse, delta: object, finishReason: string | null = null): void {
  const chunk = {
    id: 'chatcmpl',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'paced',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}

function end(response: ServerResponse, reason: string): void {
  send(response, {}, reason)
  response.end('data: [DONE]\n\n')
}
