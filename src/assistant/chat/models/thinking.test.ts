import { expect } from 'chai'
import { anthropicThinking, anthropicWithoutThinking, thinkingForm } from './thinking.ts'

describe('how a model of Anthropic thinks', () => {
  for (const [form, names] of [
    [
      'budget',
      [
        'claude-3-7-sonnet-20250219',
        'claude-sonnet-4-20250514',
        'claude-opus-4-0',
        'claude-opus-4-1-20250805',
        'claude-sonnet-4-5',
        'claude-haiku-4-5-20251001',
        'claude-opus-4-6',
        'claude-sonnet-4-6',
        'us.anthropic.claude-sonnet-4-6-v1:0',
        'claude-sonnet-4@20250514',
        'glm-5',
        'kimi-k3',
      ],
    ],
    [
      'adaptive',
      [
        'claude-opus-4-7',
        'claude-opus-4-8',
        'claude-sonnet-5',
        'claude-opus-5-5',
        'claude-haiku-5-5',
        'claude-fable-5',
        'claude-something-new',
        'claude-opus-10',
      ],
    ],
    ['none', ['claude-3-haiku-20240307', 'claude-3-5-sonnet-latest', 'claude-2.1', 'claude-instant-1.2']],
  ] as const) {
    it(`is by ${form} for ${names.length} of them`, () => {
      expect(names.filter((name) => thinkingForm(name) !== form)).to.deep.equal([])
    })
  }

  it('is nothing that one is asked for which cannot', () => {
    expect(anthropicThinking('claude-3-haiku-20240307')).to.deep.equal({})
  })

  it('is switched off for those that do it unasked, and not mentioned to the others', () => {
    expect(anthropicWithoutThinking('claude-opus-5-5')).to.deep.equal({ anthropic: { thinking: { type: 'disabled' } } })
    for (const name of ['claude-sonnet-4-6', 'claude-haiku-4-5', 'claude-3-haiku-20240307', 'glm-5'])
      expect(anthropicWithoutThinking(name)).to.deep.equal({})
  })
})
