import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { AgentMemory } from '../../../../src/assistant/query/agent-memory.ts'
import { PairFolder } from '../../../../src/assistant/query/pair-folder.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { readChunks, runChat, answerTextOf } from '../support/running-chat.ts'
import type { RunChatOptions, RunningChat } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import type { StreamingProvider } from '../support/streaming-provider.ts'

class Reading {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  text = ''

  constructor(response: Response) {
    if (response.body === null) throw new Error('the response has no body')
    this.#reader = response.body.getReader()
  }

  /** Resolves when a text has arrived; rejects if the stream ends first. */
  async reads(words: string): Promise<void> {
    while (!this.text.includes(words)) {
      const { done, value } = await this.#reader.read()
      if (done) throw new Error(`"${words}" did not come: ${this.text}`)
      this.text += this.#decoder.decode(value, { stream: true })
    }
  }

  async toEnd(): Promise<string> {
    for (let { done, value } = await this.#reader.read(); !done; { done, value } = await this.#reader.read())
      this.text += this.#decoder.decode(value, { stream: true })
    return this.text
  }
}

describe('answer stream', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  const run = (provider: StreamingProvider, options: Partial<RunChatOptions> = {}): Promise<RunningChat> =>
    runChat({ database, variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', LLM_API_KEY: 'the-key' }, ...options })

  it('gets examples and approved statements for similar questions, before the question', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-pairs-'))
    const memory = new AgentMemory({ folder: new PairFolder(join(folder, 'pairs'), pino({ level: 'silent' })) })
    const approved = {
      target: 'indexer',
      question: 'How many blocks were there yesterday?',
      sql: 'SELECT 41 + 1',
    } as const
    await memory.add(approved)
    await using provider = await startStreamingProvider(() => ['It is 7.'])
    const variables = { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', CHROMA_PERSIST_DIR: folder }
    await using chat = await run(provider, { variables, hasMcp: true })
    await readChunks(await chat.ask('How many blocks were there?'))
    const [call] = provider.calls
    expect(call?.messages.at(-1)?.text)
      .to.include(approved.sql)
      .and.match(/How many blocks were there\?$/)
    expect(call?.instructions).to.not.include(approved.sql)
    await rm(folder, { recursive: true })
  })

  it('arrives chunk by chunk, also with compression requested, and ends with usage figures', async () => {
    const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    await using provider = await startStreamingProvider(() => [
      'one ',
      { until: steps[0].promise },
      'two ',
      { until: steps[1].promise },
      'three',
      { usage: { input: 70, output: 9 } },
    ])
    await using chat = await run(provider)
    const response = await chat.ask('Count.', { 'Accept-Encoding': 'gzip, br' })
    expect(response.headers.get('content-encoding')).to.equal(null)
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).to.equal('v1')
    const reading = new Reading(response)
    await reading.reads('"delta":"one "')
    expect(reading.text).to.not.include('two')
    steps[0].resolve()
    await reading.reads('"delta":"two "')
    expect(reading.text).to.not.include('three')
    steps[1].resolve()
    const text = await reading.toEnd()
    expect(text).to.match(/data: \[DONE\]\n\n$/)
    expect(text).to.include('"end":"complete"').and.include('"inputTokens":70')
    const metrics = await chat.metrics.registry.metrics()
    expect(metrics).to.include('flowfarm_chat_answers_total{mode="balanced",end="complete"} 1')
    expect(metrics)
      .to.include('flowfarm_chat_tokens_total{kind="input"} 70')
      .and.include('flowfarm_chat_tokens_total{kind="output"} 9')
    expect(metrics).to.include('flowfarm_chat_first_token_seconds_count{mode="balanced"} 1')
    expect(metrics).to.include('flowfarm_chat_running_answers 0')
  })

  it('reports unavailable tools and counts tool calls by name', async () => {
    const chart = { chartType: 'bar', title: 'Blocks', labels: ['a'], datasets: [{ label: 'n', data: [1] }] }
    await using provider = await startStreamingProvider(({ step }) =>
      step === 0
        ? [
            { tool: 'createChart', input: chart },
            { tool: 'createChart', input: { ...chart, labels: [] } },
            { tool: 'made_up', input: {} },
          ]
        : ['Done.'],
    )
    await using chat = await run(provider)
    const chunks = await readChunks(await chat.ask('Draw.'))
    expect(chunks.filter(({ type }) => type === 'data-notice')).to.have.length(1)
    expect(chunks.find(({ type }) => type === 'data-notice'))
      .to.have.nested.property('data.text')
      .that.includes('continues without the server for SQL and Cadence scripts: ')
    expect(chunks.find(({ type }) => type === 'tool-output-available'))
      .to.have.property('output')
      .that.deep.equals(chart)
    expect(answerTextOf(chunks)).to.equal('Done.')
    expect(provider.calls[1]?.messages.flatMap(({ toolResults }) => toolResults)).to.have.length(3)
    const metrics = await chat.metrics.registry.metrics()
    for (const labels of [
      'tool="createChart",outcome="done"',
      'tool="createChart",outcome="failed"',
      'tool="unknown",outcome="failed"',
    ]) {
      expect(metrics, labels).to.include(`flowfarm_chat_tool_seconds_count{${labels}} 1`)
    }
  })

  it("reports the provider's failure without the API key", async () => {
    await using provider = await startStreamingProvider(() => ({ status: 401, message: 'wrong key: the-key' }))
    await using chat = await run(provider)
    const text = await (await chat.ask('How many?')).text()
    expect(text)
      .to.match(/"type":"error","errorText":"[^"]*LLM_API_KEY[^"]*"/)
      .and.match(/data: \[DONE\]\n\n$/)
    expect(text).to.not.include('the-key')
    expect(await chat.metrics.registry.metrics()).to.include(
      'flowfarm_chat_answers_total{mode="balanced",end="failed"} 1',
    )
  })

  it('cancels the model call when the client disconnects', async () => {
    const never = Promise.withResolvers<void>()
    await using provider = await startStreamingProvider(() => ['one ', { until: never.promise }])
    await using chat = await run(provider)
    const disconnect = new AbortController()
    const reading = new Reading(await chat.ask('Count.', {}, disconnect.signal))
    await reading.reads('one ')
    disconnect.abort()
    await provider.gone
    while (!(await chat.metrics.registry.metrics()).includes('end="disconnected"} 1'))
      await new Promise((resolve) => setImmediate(resolve))
    expect(await chat.metrics.registry.metrics()).to.include('flowfarm_chat_running_answers 0')
  })

  it('completes within the grace period when the service stops', async () => {
    const go = Promise.withResolvers<void>()
    await using provider = await startStreamingProvider(() => ['one ', { until: go.promise }, 'two'])
    const chat = await run(provider, { server: { closeGraceMs: 20_000 } })
    const reading = new Reading(await chat.ask('Count.'))
    await reading.reads('one ')
    const stopping = chat.stop()
    await refusedConnection(chat.origin)
    go.resolve()
    expect(await reading.toEnd())
      .to.include('"delta":"two"')
      .and.match(/data: \[DONE\]\n\n$/)
    await stopping
  })

  it('reports the shutdown when it exceeds the grace period', async () => {
    const never = Promise.withResolvers<void>()
    await using provider = await startStreamingProvider(() => ['one ', { until: never.promise }])
    const chat = await run(provider, { server: { closeGraceMs: 1 } })
    const reading = new Reading(await chat.ask('Count.'))
    await reading.reads('one ')
    const stopping = chat.stop()
    expect(await reading.toEnd()).to.match(
      /data: \{"type":"error","errorText":"The service stopped before [^"]*"\}\n\ndata: \[DONE\]\n\n$/,
    )
    await Promise.all([provider.gone, stopping])
    expect(await chat.metrics.registry.metrics()).to.include(
      'flowfarm_chat_answers_total{mode="balanced",end="stopped"} 1',
    )
  })
})

/** Resolves when the port is closed. */
async function refusedConnection(origin: string): Promise<void> {
  try {
    for (;;) await (await fetch(`${origin}/health`, { headers: { Connection: 'close' } })).text()
  } catch {
    // Expected.
  }
}
