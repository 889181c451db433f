import { expect } from 'chai'
import { applicationUrls } from './application-urls.ts'

const places = {
  own: [8080],
  ports: { explorer: 8080, ask: 8084, operator: 8080 },
  urls: { chat: 'https://chat.example/' },
}

describe('links between applications', () => {
  it('lead to the ports of services in the same process', () => {
    expect(applicationUrls(places, { protocol: 'http:', hostname: 'flow.local', port: '8080' })).to.deep.equal({
      explorer: 'http://flow.local:8080/',
      ask: 'http://flow.local:8084/',
      chat: 'https://chat.example/',
      operator: 'http://flow.local:8080/operator/',
    })
  })

  it('use only configured URLs behind a proxy', () => {
    expect(applicationUrls(places, { protocol: 'https:', hostname: 'flow.example', port: '' })).to.deep.equal({
      chat: 'https://chat.example/',
    })
  })
})
