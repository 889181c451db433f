import { expect } from 'chai'
import { createChart } from '../../../../src/assistant/chat/tools/create-chart.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import { modelAt, protocols, messageBy, collectTurn } from '../support/turns.ts'

describe('unknown tools', () => {
  for (const protocol of protocols) {
    for (const name of ['constructor', '__proto__', 'toString', 'no such tool!', 'x'.repeat(200)]) {
      it(`can be called without ending the turn or breaking the next question: ${name.slice(0, 20)} over ${protocol}`, async () => {
        await using provider = await startStreamingProvider(({ step, index }) =>
          step === 0 && index === 0 ? [{ tool: name, input: {} }] : ['It is 7.'],
        )
        const model = modelAt(provider.url, protocol)
        const answer = await collectTurn({ model, tools: { createChart } })
        expect(answer.texts).to.deep.equal(['It is 7.'])
        const results = provider.calls[1]?.messages.flatMap(({ toolResults }) => toolResults)
        expect(results).to.have.length(1).with.nested.property('[0].text').that.includes('createChart')
        const next = await collectTurn({
          model,
          tools: { createChart },
          messages: [messageBy('user', 'How high?'), answer.message, messageBy('user', 'And now?')],
        })
        expect(next.texts).to.deep.equal(['It is 7.'])
        expect(provider.refused).to.deep.equal([])
      })
    }
  }
})
