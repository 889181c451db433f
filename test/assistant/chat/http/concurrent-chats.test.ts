import { expect } from 'chai'
import { createTestDatabase } from '../../../support/database.ts'
import { readChunks, runChat, answerTextOf } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'

const chats = 200
const words = 40

describe('two hundred concurrent chats', () => {
  it('are each answered in full, without data of the other chats', async () => {
    const database = await createTestDatabase()
    try {
      const all = Promise.withResolvers<void>()
      let started = 0
      // Each calls a tool with its own number; its answer contains what the provider received:
      // question, history, result.
      await using provider = await startStreamingProvider(({ question, step, messages }) => {
        const own = /\d+/.exec(question)?.[0] ?? 'none'
        if (step === 0) {
          if (++started === chats) all.resolve()
          // Waits until all have started.
          return [
            { until: all.promise },
            {
              tool: 'createChart',
              input: {
                chartType: 'bar',
                title: `Chart ${own}`,
                labels: ['a'],
                datasets: [{ label: 'n', data: [Number(own)] }],
              },
            },
          ]
        }
        const result = messages.flatMap(({ toolResults }) => toolResults).at(-1)?.text ?? ''
        const earlier = messages.find(({ role }) => role === 'assistant')?.text ?? ''
        return [
          `${earlier}|${/Chart \d+/.exec(result)?.[0] ?? result}|`,
          ...Array.from({ length: words }, (_, i) => ` ${own}.${i}`),
        ]
      })
      await using chat = await runChat({ database, variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm' } })
      const answers = await Promise.all(
        Array.from({ length: chats }, async (_, i) => {
          const response = await chat.post({
            mode: i % 2 === 0 ? 'fast' : 'balanced',
            messages: [
              { role: 'user', content: 'Who are you?' },
              { role: 'assistant', content: `I am the one of ${i}.` },
              { role: 'user', content: `Question ${i}` },
            ],
          })
          return await readChunks(response)
        }),
      )
      answers.forEach((chunks, i) => {
        expect(answerTextOf(chunks)).to.equal(
          `I am the one of ${i}.|Chart ${i}|${Array.from({ length: words }, (_, word) => ` ${i}.${word}`).join('')}`,
        )
        expect(chunks.find(({ type }) => type === 'tool-output-available')).to.have.nested.property(
          'output.title',
          `Chart ${i}`,
        )
        expect(chunks.at(-1)).to.have.nested.property('messageMetadata.end', 'complete')
      })
      expect(provider.refused).to.deep.equal([])
      const metrics = await chat.metrics.registry.metrics()
      expect(metrics)
        .to.include('flowfarm_chat_answers_total{mode="fast",end="complete"} 100')
        .and.include('flowfarm_chat_answers_total{mode="balanced",end="complete"} 100')
      expect(metrics).to.include('flowfarm_chat_running_answers 0')
    } finally {
      await database.drop()
    }
  })
})
