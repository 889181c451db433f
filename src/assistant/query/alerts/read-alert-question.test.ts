import { expect } from 'chai'
import { isAlertQuestion, readAlertQuestion } from './read-alert-question.ts'

const compare = (operator: string, number: string): object => ({ kind: 'compare', operator, number })

describe('the question of an alert', () => {
  for (const [question, subject, condition, seconds = 300] of [
    [
      'Tell me when the newest indexed block is above 200,000,000.',
      'the newest indexed block',
      compare('>', '200000000'),
    ],
    ['E-mail me when the newest indexed block is above 5', 'the newest indexed block', compare('>', '5')],
    ['Notify us if the price of FLOW drops below $0.25', 'the price of FLOW', compare('<', '0.25')],
    ['alert me when the daily volume exceeds 1.5 million FLOW', 'the daily volume', compare('>', '1500000')],
    [
      'Tell me when there are more than 10 failed transactions',
      'the number of failed transactions',
      compare('>', '10'),
    ],
    ['tell me as soon as the fees are at least 2.5k, every 2 hours', 'the fees', compare('>=', '2500'), 7200],
    ['let me know when the fees <= -1.25', 'the fees', compare('<=', '-1.25')],
    [
      'Tell me when the code of A.1654653399040a61.FlowToken changes',
      'the code of A.1654653399040a61.FlowToken',
      { kind: 'changed' },
    ],
    ['Tell me when no new blocks arrive, every minute', 'new blocks arrive', { kind: 'no_rows' }, 60],
    [
      'Tell me when a transfer above 1,000,000 FLOW happens',
      'a transfer above 1,000,000 FLOW happens',
      { kind: 'rows' },
    ],
    ['Tell me about failed transactions every 100 days', 'failed transactions', { kind: 'rows' }, 86_400],
    ['above 5', 'above 5', { kind: 'rows' }],
  ] as const)
    it(question, () => {
      const read = readAlertQuestion(question)
      expect(read).to.deep.include({ subject, condition, intervalSeconds: seconds })
    })

  it('is distinguished from a question for an answer', () => {
    for (const question of ['tell  me when x', 'Please let us know if x', 'Mail me as soon as x', 'Notify me once x'])
      expect(isAlertQuestion(question), question).to.equal(true)
    for (const question of ['Tell me the newest block', 'When was x?', 'Tell me about x', 'tell me whenx', 'if x'])
      expect(isAlertQuestion(question), question).to.equal(false)
  })

  it('of any length is read in time', () => {
    for (const part of ['more than ', 'every 1 ', 'above 1', '. ', '9,', 'tell me ', ' ', '\u{1F600}', '> ']) {
      const begin = performance.now()
      readAlertQuestion(part.repeat(4000 / part.length))
      expect(performance.now() - begin, part).to.be.below(200)
    }
  })
})
