import { expect } from 'chai'
import { headersToClient, headersToUpstream } from './forwarded-headers.ts'
import type { Framing, Sender } from './forwarded-headers.ts'

const otherUser: Sender = { peer: '203.0.113.7', isProxy: false, client: '203.0.113.7' }

function passed(raw: readonly string[], sender = otherUser, framing: Framing = 'none'): Record<string, unknown> {
  return headersToUpstream({ raw, sender, framing, requestId: 'id-1', via: '1.1 proxy' })
}

const added = {
  'x-forwarded-for': '203.0.113.7',
  'x-real-ip': '203.0.113.7',
  'x-forwarded-proto': 'http',
  'x-request-id': 'id-1',
  via: '1.1 proxy',
}

describe('forwarded headers', () => {
  it('preserve repeated request headers and add the client address', () => {
    expect(
      passed(['Host', 'flow.example:8000', 'Accept', 'a', 'accept', 'b', 'Authorization', 'Bearer key']),
    ).to.deep.equal({
      host: 'flow.example:8000',
      accept: ['a', 'b'],
      authorization: 'Bearer key',
      ...added,
    })
  })

  it('omit connection headers and the headers that Connection names', () => {
    const raw = [
      'Host',
      'h',
      'Connection',
      'keep-alive, X-Mine',
      'connection',
      'upgrade',
      'X-Mine',
      '1',
      'Keep-Alive',
      'timeout=5',
      'Upgrade',
      'websocket',
      'TE',
      'trailers',
      'Trailer',
      'x',
      'Transfer-Encoding',
      'chunked',
      'Proxy-Authorization',
      'Basic x',
      'Proxy-Connection',
      'close',
      'Expect',
      '100-continue',
    ]
    expect(passed(raw)).to.deep.equal({ host: 'h', ...added })
    expect(
      headersToClient([
        'Content-Type',
        'text/plain',
        'Connection',
        'close, x-mine',
        'X-Mine',
        '1',
        'Transfer-Encoding',
        'chunked',
        'Set-Cookie',
        'a',
        'Set-Cookie',
        'b',
      ]),
    ).to.deep.equal({ 'content-type': 'text/plain', 'set-cookie': ['a', 'b'] })
  })

  it("use the connection's address for an untrusted client and append its own claims as hops only", () => {
    const raw = [
      'X-Forwarded-For',
      '127.0.0.1',
      'x-forwarded-for',
      '10.0.0.1',
      'X-Real-IP',
      '127.0.0.1',
      'X-Forwarded-Proto',
      'https',
      'X-Forwarded-Host',
      'admin.example',
      'Forwarded',
      'for=127.0.0.1',
      'Connection',
      'x-forwarded-for',
    ]
    expect(passed(raw)).to.deep.equal(added)
    expect(passed(raw.slice(0, -2))).to.deep.equal({ ...added, 'x-forwarded-for': '127.0.0.1, 10.0.0.1, 203.0.113.7' })
  })

  it('preserve the values of a trusted proxy', () => {
    const sender: Sender = { peer: '10.0.0.2', isProxy: true, client: '198.51.100.4' }
    expect(
      passed(
        [
          'X-Forwarded-For',
          '198.51.100.4',
          'X-Forwarded-Proto',
          'https',
          'X-Forwarded-Host',
          'flow.example',
          'Via',
          '1.1 edge',
        ],
        sender,
      ),
    ).to.deep.equal({
      'x-forwarded-for': '198.51.100.4, 10.0.0.2',
      'x-real-ip': '198.51.100.4',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'flow.example',
      'x-request-id': 'id-1',
      via: '1.1 edge, 1.1 proxy',
    })
  })

  it('delimit the body in exactly one way', () => {
    const raw = [
      'Content-Length',
      '5',
      'Transfer-Encoding',
      'chunked',
      'Connection',
      'content-length, host',
      'Host',
      'h',
    ]
    expect(passed(raw, otherUser, 'chunked')).to.deep.equal({ host: 'h', 'transfer-encoding': 'chunked', ...added })
    expect(passed(raw, otherUser, { bytes: '5' })).to.deep.equal({ host: 'h', 'content-length': '5', ...added })
    expect(passed(raw)).to.deep.equal({ host: 'h', ...added })
  })
})
