import { expect } from 'chai'
import fc from 'fast-check'
import { readEvents } from './overview-feed.ts'
import type { StreamEvent } from './overview-feed.ts'

async function eventsOf(text: string, cuts: readonly number[] = []): Promise<{ events: StreamEvent[]; signs: number }> {
  const bytes = new TextEncoder().encode(text)
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const pieces = edges
    .slice(1)
    .map((end, i) => bytes.slice(edges[i], end))
    .filter((piece) => piece.length > 0)
  const events: StreamEvent[] = []
  let signs = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  for await (const event of readEvents(body, () => signs++)) events.push(event)
  return { events, signs }
}

const text =
  ': hello\n\nevent: overview\ndata: {"a":"é – 1"}\n\n: still here\n\nevent: overview\r\ndata: 1\r\ndata: 2\r\n\r\nevent: bye\ndata: {}\n\nevent: cut\ndata: off'
const expected = [
  { event: 'overview', data: '{"a":"é – 1"}' },
  { event: 'overview', data: '1\n2' },
  { event: 'bye', data: '{}' },
]

describe('server-sent events', () => {
  it('are read whole, without comments and truncated events', async () => {
    expect((await eventsOf(text)).events).to.deep.equal(expected)
  })

  it('may arrive in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (cuts) => {
        expect((await eventsOf(text, cuts)).events).to.deep.equal(expected)
      }),
    )
  })

  it('treat comments as heartbeats', async () => {
    expect(await eventsOf(': still here\n\n')).to.deep.equal({ events: [], signs: 1 })
  })
})
