import type { LanguageModelV4 } from '@ai-sdk/provider'
import { expect } from 'chai'
import { readConfig } from '../../../config.ts'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import { anthropicThinking, anthropicWithoutThinking, createChatModels, thinkingForm } from './chat-models.ts'
import type { ChatModels } from './chat-models.ts'

const modelsOf = (variables: Record<string, string>): ChatModels => createChatModels(readConfig(variables, {}))
const names = ({ modes }: ChatModels): readonly string[] =>
  modes.map(({ mode, state: { provider, name } }) => `${mode} ${provider}/${name}`)

describe('chat models', () => {
  it('default to one model per provider tier', () => {
    expect(names(modelsOf({ LLM_API_KEY: 'key' }))).to.deep.equal([
      'fast anthropic/claude-haiku-4-5',
      'balanced anthropic/claude-sonnet-4-6',
      'deep anthropic/claude-opus-4-6',
    ])
    expect(names(modelsOf({ LLM_API_KEY: 'key', LLM_PROVIDER: 'openai' }))).to.deep.equal([
      'fast openai/gpt-5.4-nano',
      'balanced openai/gpt-5.4-mini',
      'deep openai/gpt-5.4',
    ])
  })

  it('use the configured names', () => {
    expect(
      names(modelsOf({ LLM_API_KEY: 'key', LLM_MODEL: 'b', CHAT_MODEL_FAST: 'a', CHAT_MODEL_DEEP: 'c' })),
    ).to.deep.equal(['fast anthropic/a', 'balanced anthropic/b', 'deep anthropic/c'])
  })

  it('use one model on a self-hosted server, set by two variables', () => {
    const own = { LLM_BASE_URL: 'http://127.0.0.1:11434', LLM_MODEL: 'local' }
    expect(names(modelsOf(own))).to.deep.equal([
      'fast openai-compatible/local',
      'balanced openai-compatible/local',
      'deep openai-compatible/local',
    ])
    expect(names(modelsOf({ ...own, CHAT_MODEL_FAST: 'little' }))[0]).to.equal('fast openai-compatible/little')
  })

  it('include only the enabled modes, in any order', () => {
    const two = modelsOf({ LLM_API_KEY: 'key', CHAT_MODES: 'Deep, fast' })
    expect(two.modes.map(({ mode }) => mode)).to.deep.equal(['fast', 'deep'])
    expect(two.defaultMode).to.equal('fast')
    expect(modelsOf({ LLM_API_KEY: 'key' }).defaultMode).to.equal('balanced')
    expect(() => two.of('balanced'))
      .to.throw(ApiError, /must be one of fast, deep, not balanced/)
      .that.includes({ status: 400, code: 'mode-not-allowed', field: 'mode' })
  })

  it('reject an unknown mode in CHAT_MODES', () => {
    for (const word of ['smart', 'constructor']) {
      expect(() => modelsOf({ CHAT_MODES: `fast,${word}` })).to.throw(
        FatalError,
        `CHAT_MODES has an invalid mode "${word}"; allowed: fast, balanced, deep`,
      )
    }
  })

  it('are empty without an API key and report which variable to set', () => {
    const none = modelsOf({})
    expect(none.modes).to.deep.equal([])
    expect(none.remedy).to.include('LLM_API_KEY')
    expect(() => none.of('balanced'))
      .to.throw(ApiError, /No language model is configured\. Set LLM_API_KEY/)
      .that.includes({ status: 503, code: 'no-model' })
  })

  it('use the scripted model in the default mode only, when enabled', () => {
    const model = { provider: 'scripted' } as LanguageModelV4
    const state = { provider: 'scripted', name: 'example-questions', isScripted: true }
    const scripted = createChatModels(readConfig({ LLM_PROVIDER: 'scripted' }, {}), { scripted: { model, state } })
    expect(scripted.modes).to.deep.equal([{ mode: 'balanced', state }])
    expect(scripted.of('balanced')).to.include({ model, state, streamsReasoning: false })
    expect(modelsOf({ LLM_PROVIDER: 'scripted' }))
      .to.have.property('remedy')
      .that.includes('LLM_API_KEY')
  })

  it('search the web when the provider supports it and it is enabled', () => {
    const searches = (variables: Record<string, string>): boolean =>
      'web_search' in modelsOf({ LLM_API_KEY: 'key', ...variables }).of('balanced').providerTools
    expect(searches({})).to.equal(true)
    expect(searches({ CHAT_WEB_SEARCH: 'false' })).to.equal(false)
    expect(searches({ LLM_MODEL: 'glm-5' })).to.equal(false)
    expect(searches({ LLM_PROVIDER: 'openai' })).to.equal(true)
    expect(searches({ LLM_PROVIDER: 'openai', LLM_MODEL: 'gpt-5.4-nano' })).to.equal(false)
    expect(searches({ LLM_PROVIDER: 'openai', CHAT_WEB_SEARCH: 'false' })).to.equal(false)
    expect(searches({ LLM_PROVIDER: 'openai', LLM_BASE_URL: 'http://127.0.0.1:1' })).to.equal(false)
    expect(searches({ LLM_BASE_URL: 'http://127.0.0.1:1', LLM_MODEL: 'claude-like' })).to.equal(false)
  })

  it('use reasoning in the deep mode only, in the format of each provider', () => {
    const optionsOf = (variables: Record<string, string>, mode: 'fast' | 'balanced' | 'deep'): unknown =>
      modelsOf({ LLM_API_KEY: 'key', ...variables }).of(mode).providerOptions
    expect(optionsOf({}, 'deep')).to.deep.equal({ anthropic: { thinking: { type: 'enabled', budgetTokens: 10_000 } } })
    expect(optionsOf({ CHAT_MODEL_DEEP: 'claude-opus-4-8' }, 'deep')).to.have.nested.property(
      'anthropic.thinking.type',
      'adaptive',
    )
    expect(optionsOf({}, 'balanced')).to.deep.equal({})
    expect(optionsOf({ LLM_MODEL: 'claude-sonnet-5' }, 'balanced')).to.deep.equal({
      anthropic: { thinking: { type: 'disabled' } },
    })
    expect(optionsOf({ LLM_PROVIDER: 'openai' }, 'deep')).to.deep.equal({
      openai: { reasoningEffort: 'high', reasoningSummary: 'auto', maxToolCalls: 5, store: false },
    })
    expect(optionsOf({ LLM_PROVIDER: 'openai' }, 'fast')).to.deep.equal({ openai: { store: false } })
    expect(optionsOf({ LLM_BASE_URL: 'http://127.0.0.1:1', LLM_MODEL: 'local' }, 'deep')).to.deep.equal({})
    expect(
      modelsOf({ LLM_API_KEY: 'key' })
        .modes.filter(({ mode }) => modelsOf({ LLM_API_KEY: 'key' }).of(mode).streamsReasoning)
        .map(({ mode }) => mode),
    ).to.deep.equal(['deep'])
  })
})

describe('Anthropic reasoning', () => {
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
    it(`uses the form ${form} for ${names.length} models`, () => {
      expect(names.filter((name) => thinkingForm(name) !== form)).to.deep.equal([])
    })
  }

  it('is not requested from models without support', () => {
    expect(anthropicThinking('claude-3-haiku-20240307')).to.deep.equal({})
  })

  it('is disabled for models that reason by default and omitted for the others', () => {
    expect(anthropicWithoutThinking('claude-opus-5-5')).to.deep.equal({ anthropic: { thinking: { type: 'disabled' } } })
    for (const name of ['claude-sonnet-4-6', 'claude-haiku-4-5', 'claude-3-haiku-20240307', 'glm-5'])
      expect(anthropicWithoutThinking(name)).to.deep.equal({})
  })
})
