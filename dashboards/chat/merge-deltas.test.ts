import type { UIMessageChunk } from 'ai'
import { expect } from 'chai'
import { mergeDeltas } from './merge-deltas.ts'

const delta = (text: string, id = '1'): UIMessageChunk => ({ type: 'text-delta', id, delta: text })

async function merged(chunks: readonly UIMessageChunk[]): Promise<UIMessageChunk[]> {
  const source = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const all: UIMessageChunk[] = []
  for await (const chunk of source.pipeThrough(mergeDeltas(60_000))) all.push(chunk)
  return all
}

describe('pieces of a text that come quickly', () => {
  it('go on as one, but for the first, and never past what stands between them', async () => {
    const tool: UIMessageChunk = { type: 'tool-output-available', toolCallId: 't', output: 1 }
    expect(
      await merged([
        { type: 'start' },
        delta('a'),
        delta('b'),
        delta('c'),
        tool,
        delta('d'),
        delta('e'),
        delta('f', '2'),
        { type: 'reasoning-delta', id: '2', delta: 'g' },
        { type: 'finish' },
      ]),
    ).to.deep.equal([
      { type: 'start' },
      delta('a'),
      delta('bc'),
      tool,
      delta('de'),
      delta('f', '2'),
      { type: 'reasoning-delta', id: '2', delta: 'g' },
      { type: 'finish' },
    ])
  })

  it('are all there where nothing comes after them', async () => {
    expect(await merged([delta('a'), delta('b')])).to.deep.equal([delta('a'), delta('b')])
  })

  it('go on by themselves after a while', async () => {
    const { readable, writable } = mergeDeltas(5)
    const [writer, reader] = [writable.getWriter(), readable.getReader()]
    const written = ['a', 'b', 'c'].map((text) => writer.write(delta(text)))
    expect((await reader.read()).value).to.deep.equal(delta('a'))
    expect((await reader.read()).value).to.deep.equal(delta('bc'))
    await Promise.all(written)
  })

  it('are dropped where nobody reads any more', async () => {
    const { readable, writable } = mergeDeltas(5)
    const [writer, reader] = [writable.getWriter(), readable.getReader()]
    const written = ['a', 'b'].map((text) => writer.write(delta(text)))
    await reader.read()
    // It wants the second piece, which is held by then.
    const next = reader.read()
    await Promise.all(written)
    await reader.cancel()
    expect(await next).to.deep.equal({ value: undefined, done: true })
    // A piece that was pushed into a stream that has ended would throw out of its timer.
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 20)
    await promise
  })
})
