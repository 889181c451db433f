import { expect } from 'chai'
import type { UIMessageChunk } from 'ai'
import type { ChatMessage } from './messages.ts'
import { historyToSend, mergeDeltas } from './messages.ts'

const say = (role: 'user' | 'assistant', id: string, text = id): ChatMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
})
const turns = (count: number, text?: string): ChatMessage[] =>
  Array.from({ length: count }, (_, i) => [say('user', `q${i}`), say('assistant', `a${i}`, text)]).flat()

describe('history to send', () => {
  it('is a whole short conversation', () => {
    const messages = [...turns(3), say('user', 'last')]
    expect(historyToSend(messages)).to.deep.equal(messages)
  })

  it('is the newest turns of a long one, starting with a question', () => {
    const sent = historyToSend([...turns(150), say('user', 'last')])
    expect(sent).to.have.lengthOf(199)
    expect(sent[0]?.id).to.equal('q51')
    expect(sent.at(-1)?.id).to.equal('last')
  })

  it('is limited in bytes', () => {
    const sent = historyToSend([...turns(10, '区'.repeat(200_000)), say('user', 'last')])
    expect(sent.map(({ id }) => id)).to.deep.equal(['q5', 'a5', 'q6', 'a6', 'q7', 'a7', 'q8', 'a8', 'q9', 'a9', 'last'])
  })

  it('is at least the question', () => {
    expect(historyToSend([...turns(2), say('user', 'last', 'x'.repeat(4_000_000))]).map(({ id }) => id)).to.deep.equal([
      'last',
    ])
  })
})

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

describe('merged deltas', () => {
  it('keep the first one and the order of other chunks', async () => {
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

  it('are flushed at the end', async () => {
    expect(await merged([delta('a'), delta('b')])).to.deep.equal([delta('a'), delta('b')])
  })

  it('are flushed after a while', async () => {
    const { readable, writable } = mergeDeltas(5)
    const [writer, reader] = [writable.getWriter(), readable.getReader()]
    const written = ['a', 'b', 'c'].map((text) => writer.write(delta(text)))
    expect((await reader.read()).value).to.deep.equal(delta('a'))
    expect((await reader.read()).value).to.deep.equal(delta('bc'))
    await Promise.all(written)
  })

  it('are dropped without a reader', async () => {
    const { readable, writable } = mergeDeltas(5)
    const [writer, reader] = [writable.getWriter(), readable.getReader()]
    const written = ['a', 'b'].map((text) => writer.write(delta(text)))
    await reader.read()
    // It waits for the second chunk, which is buffered by then.
    const next = reader.read()
    await Promise.all(written)
    await reader.cancel()
    expect(await next).to.deep.equal({ value: undefined, done: true })
    // A chunk pushed into an ended stream would throw from its timer.
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 20)
    await promise
  })
})
