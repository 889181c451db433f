import { expect } from 'chai'
import type { UIMessageChunk } from 'ai'
import type { ChatMessage } from './messages.ts'
import { branchAt, contextCharacters, historyToSend, mergeDeltas, showVersion, versionsAt } from './messages.ts'

const say = (role: 'user' | 'assistant', id: string, text = id): ChatMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
})
const turns = (count: number, text?: string): ChatMessage[] =>
  Array.from({ length: count }, (_, i) => [say('user', `q${i}`), say('assistant', `a${i}`, text)]).flat()

describe('versions of a question', () => {
  const ids = (messages: readonly ChatMessage[]): string => messages.map(({ id }) => id).join(' ')

  it('stay reachable with what followed them, also within each other', () => {
    const first = { messages: turns(3), branches: [] }
    expect(versionsAt(first, 2)).to.deep.equal({ position: 0, count: 1 })
    const edited = branchAt(first, 2)
    expect(ids(edited.messages)).to.equal('q0 a0')
    const second = { ...edited, messages: [...edited.messages, say('user', 'b1'), say('assistant', 'c1')] }
    expect(versionsAt(second, 2)).to.deep.equal({ position: 1, count: 2 })
    const third = branchAt(second, 0)
    const other = { ...third, messages: [say('user', 'd0')] }
    expect(versionsAt(other, 0)).to.deep.equal({ position: 1, count: 2 })
    const back = showVersion(other, 0, 0)
    expect(ids(back.messages)).to.equal('q0 a0 b1 c1')
    const oldest = showVersion(back, 2, 0)
    expect(ids(oldest.messages)).to.equal('q0 a0 q1 a1 q2 a2')
    expect(versionsAt(oldest, 2)).to.deep.equal({ position: 0, count: 2 })
    expect(ids(showVersion(oldest, 2, 1).messages)).to.equal('q0 a0 b1 c1')
    expect(showVersion(oldest, 2, 7)).to.equal(oldest)
  })
})

describe('characters of a conversation', () => {
  it('count texts, inputs and at most 30,000 characters of each result', () => {
    const call = (output: unknown): ChatMessage => ({
      id: 'c',
      role: 'assistant',
      parts: [{ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', state: 'output-available', input: {}, output }],
    })
    expect(contextCharacters([say('user', 'q', 'x'.repeat(40))])).to.equal(40)
    expect(contextCharacters([call({ content: [], structuredContent: { rows: 'x'.repeat(1000) } })])).to.equal(4)
    expect(contextCharacters([call('x'.repeat(90_000))])).to.equal(30_002)
  })
})

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
