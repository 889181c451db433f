import { expect } from 'chai'
import { readConfig } from '../../config.ts'
import { modelSettings, versionedUrl } from './settings.ts'

const settingsOf = (variables: Record<string, string>): ReturnType<typeof modelSettings> =>
  modelSettings(readConfig(variables, {}))

describe('model settings', () => {
  it('report the variable to set without a key', () => {
    expect(settingsOf({})).to.have.property('remedy').that.includes('LLM_API_KEY').and.includes('anthropic')
    expect(settingsOf({ LLM_PROVIDER: 'openai' }))
      .to.have.property('remedy')
      .that.includes('LLM_API_KEY')
      .and.includes('openai')
  })

  it('can select the scripted model only, even with a key', () => {
    expect(settingsOf({ LLM_PROVIDER: 'scripted', LLM_API_KEY: 'key' })).to.equal('scripted')
  })

  it('need an address and a model but no key for a self-hosted server', () => {
    expect(settingsOf({ LLM_PROVIDER: 'openai-compatible' }))
      .to.have.property('remedy')
      .that.includes('LLM_BASE_URL and LLM_MODEL')
    const url = 'http://127.0.0.1:11434'
    expect(settingsOf({ LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: url }))
      .to.have.property('remedy')
      .that.includes('Set LLM_MODEL,')
    expect(settingsOf({ LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: url, LLM_MODEL: 'local' })).to.deep.equal({
      settings: { provider: 'openai-compatible', name: 'local', apiKey: undefined, baseUrl: `${url}/v1` },
    })
  })

  it('select chat completions for an address and a model without a provider', () => {
    const url = 'http://127.0.0.1:11434'
    expect(settingsOf({ LLM_BASE_URL: url, LLM_MODEL: 'local' })).to.deep.equal({
      settings: { provider: 'openai-compatible', name: 'local', apiKey: undefined, baseUrl: `${url}/v1` },
    })
    expect(settingsOf({ LLM_BASE_URL: url, LLM_API_KEY: 'key' }))
      .to.have.property('remedy')
      .that.includes('Set LLM_MODEL,')
      .and.includes('LLM_PROVIDER=anthropic')
  })

  it('have default addresses for the providers', () => {
    const key = { LLM_API_KEY: 'key', LLM_MODEL: 'some' }
    expect(settingsOf({ ...key, LLM_BASE_URL: 'https://api.anthropic.com' })).to.have.nested.property(
      'settings.provider',
      'anthropic',
    )
    expect(settingsOf({ ...key, LLM_BASE_URL: 'https://api.openai.com/v1' })).to.have.nested.property(
      'settings.provider',
      'openai',
    )
  })

  it('allow another address for a named provider', () => {
    expect(
      settingsOf({ LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'key', LLM_BASE_URL: 'https://models.example' }),
    ).to.have.nested.property('settings.provider', 'anthropic')
  })

  it('have a default model for each provider', () => {
    for (const LLM_PROVIDER of ['anthropic', 'openai']) {
      expect(settingsOf({ LLM_PROVIDER, LLM_API_KEY: 'key' }))
        .to.have.nested.property('settings.name')
        .that.is.a('string')
        .and.is.not.equal('')
    }
  })

  it('accept the API address with and without its version', () => {
    expect(versionedUrl('https://models.example')).to.equal('https://models.example/v1')
    expect(versionedUrl('https://models.example/v1/')).to.equal('https://models.example/v1')
    expect(versionedUrl('https://models.example/api')).to.equal('https://models.example/api/v1')
    expect(versionedUrl('https://models.example/api/v3')).to.equal('https://models.example/api/v3')
    expect(versionedUrl('https://models.example/v1beta1')).to.equal('https://models.example/v1beta1')
  })
})
