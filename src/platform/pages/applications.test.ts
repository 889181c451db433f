import { expect } from 'chai'
import { servingSettings } from '../http/settings.ts'
import { Shared } from '../service.ts'
import { SettingError } from '../setting.ts'
import { applicationsOf } from './applications.ts'

const read = (text: string | undefined) => servingSettings.APPLICATION_URLS.read(text)

describe('applications in the header', () => {
  it('are the services of this process and the configured URLs', () => {
    const shared = new Shared()
    const applications = applicationsOf(
      { config: { APPLICATION_URLS: read('ask=https://ask.example') }, shared },
      'chat',
    )
    expect(applications()).to.deep.equal({ own: [], ports: {}, urls: { ask: 'https://ask.example/' } })
    shared.apiPort = 8080
    shared.chatPort = 3001
    shared.proxyPort = 8000
    expect(applications()).to.deep.include({
      own: [3001, 8000],
      ports: { explorer: 8080, operator: 8080, chat: 3001 },
    })
  })

  it('have URLs by name', () => {
    expect(read(undefined)).to.deep.equal({})
    expect(read('explorer=http://a.example/x?y=1, wallet=https://b.example')).to.deep.equal({
      explorer: 'http://a.example/x?y=1',
      wallet: 'https://b.example/',
    })
    for (const wrong of ['https://a.example', 'admin=https://a.example', 'ask=a.example', 'ask=javascript:alert(1)'])
      expect(() => read(wrong), wrong).to.throw(SettingError)
  })
})
