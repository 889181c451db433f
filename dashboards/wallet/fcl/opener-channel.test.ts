import { expect } from 'chai'
import fc from 'fast-check'
import { isSafeOrigin, OpenerChannel } from './opener-channel.ts'
import type { ChannelEvent } from './opener-channel.ts'
import { authnResponse, chainOfNetwork, proofRequest } from './services.ts'

const origin = 'https://app.example'
const signRequest = (body: unknown = { message: 'ab' }, more: object = {}): object => ({
  type: 'FCL:VIEW:READY:RESPONSE',
  body,
  config: { client: { network: 'testnet' } },
  ...more,
})

/** A window with its opener, and the messages sent to the opener. */
function open(): {
  readonly channel: OpenerChannel
  readonly posted: { readonly message: unknown; readonly to: string }[]
  readonly receive: (data: unknown, part?: Partial<ChannelEvent>) => void
} {
  const posted: { readonly message: unknown; readonly to: string }[] = []
  const opener = { postMessage: (message: unknown, to: string) => void posted.push({ message, to }) }
  const listeners: ((event: ChannelEvent) => void)[] = []
  const channel = new OpenerChannel({ opener, addEventListener: (_, listener) => void listeners.push(listener) })
  channel.start()
  return {
    channel,
    posted,
    receive: (data, part = {}) => listeners.forEach((listener) => listener({ source: opener, origin, data, ...part })),
  }
}

describe('FCL channel', () => {
  it('responds once, to the origin of the request', () => {
    const { channel, posted, receive } = open()
    channel.start()
    channel.approve('too early')
    expect(posted).to.deep.equal([{ message: { type: 'FCL:VIEW:READY' }, to: '*' }])
    receive(signRequest({ message: 'ab', interaction: { large: true } }))
    expect(channel.state).to.deep.equal({
      status: 'requested',
      request: { origin, body: { message: 'ab' }, network: 'testnet' },
      hasMore: false,
    })
    channel.approve({ addr: '0x1' })
    channel.decline('late')
    expect(posted.slice(1)).to.deep.equal([
      {
        message: {
          type: 'FCL:VIEW:RESPONSE',
          f_type: 'PollingResponse',
          f_vsn: '1.0.0',
          status: 'APPROVED',
          reason: null,
          data: { addr: '0x1' },
        },
        to: origin,
      },
    ])
    expect(channel.state).to.include({ status: 'responded', answer: 'approved' })
  })

  it('keeps the first request, and reports that another one came', () => {
    const { channel, posted, receive } = open()
    const body = { message: 'ab' }
    receive(signRequest(body))
    // The page has a copy, so changes to the original object have no effect.
    body.message = 'cd'
    receive(signRequest({ message: 'ab' }))
    receive({ ...signRequest({ message: 'ab' }), type: 'FCL:FRAME:READY:RESPONSE' })
    expect(channel.state).to.deep.include({ status: 'requested', hasMore: false })
    receive(signRequest({ message: 'cd' }), { origin: 'https://other.example' })
    expect(channel.state).to.deep.equal({
      status: 'requested',
      request: { origin, body: { message: 'ab' }, network: 'testnet' },
      hasMore: true,
    })
    channel.decline('no')
    receive(signRequest({ message: 'ef' }))
    expect(channel.state.status).to.equal('responded')
    expect(posted.map(({ to }) => to)).to.deep.equal(['*', origin])
  })

  it('accepts messages of the opener only', () => {
    const { channel, receive } = open()
    for (const source of [null, undefined, {}, { postMessage: () => undefined }]) receive(signRequest(), { source })
    for (const data of [
      null,
      undefined,
      'FCL:VIEW:READY:RESPONSE',
      7,
      { type: 'FCL:VIEW:CLOSE' },
      [signRequest()],
      { jsonrpc: '2.0', method: 'fcl:sign' },
    ])
      receive(data)
    expect(channel.state).to.deep.equal({ status: 'waiting' })
    const alone = new OpenerChannel({
      opener: null,
      addEventListener: () => expect.fail('nobody is there to be heard'),
    })
    alone.start()
    expect(alone.state).to.deep.equal({ status: 'refused', reason: 'alone' })
  })

  it('rejects insecure origins, and tells them if possible', () => {
    for (const [bad, reported] of [
      ['http://app.example', true],
      ['null', false],
      ['chrome-extension://abc', false],
    ] as const) {
      const { channel, posted, receive } = open()
      receive(signRequest(), { origin: bad })
      receive(signRequest())
      expect(channel.state).to.deep.equal({ status: 'refused', reason: 'unsafe', origin: bad })
      expect(posted.slice(1).map(({ to }) => to)).to.deep.equal(reported ? [bad] : [])
      channel.approve('nothing')
      expect(posted).to.have.length(reported ? 2 : 1)
    }
  })

  it('rejects invalid and oversized requests', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    for (const body of [circle, { number: 1n }, { message: 'a'.repeat(20_000_001) }]) {
      const { channel, posted, receive } = open()
      receive(signRequest(body))
      expect(channel.state).to.deep.equal({ status: 'refused', reason: 'unreadable', origin })
      expect(posted.map(({ to }) => to)).to.deep.equal(['*', origin])
    }
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (body, config) => {
        const { channel, receive } = open()
        receive({ type: 'FCL:VIEW:READY:RESPONSE', body, config })
        expect(channel.state.status).to.equal('requested')
      }),
    )
  })
})

describe('allowed origins', () => {
  it('are HTTPS and this machine', () => {
    for (const good of [
      'https://app.example',
      'https://app.example:8443',
      'http://localhost:3000',
      'http://app.localhost',
      'http://127.0.0.1:1',
      'http://[::1]:80'.replace(':80', ':81'),
    ])
      expect(isSafeOrigin(good), good).to.equal(true)
    for (const bad of [
      'http://app.example',
      'http://localhost.example',
      'http://127.0.0.1.example',
      'null',
      '',
      'file://',
      'https://app.example/path',
      'ftp://localhost',
      'http://192.168.0.1',
    ]) {
      expect(isSafeOrigin(bad), bad).to.equal(false)
    }
  })
})

describe('FCL services', () => {
  it('list the services of the account, by key', () => {
    const { services } = authnResponse('https://wallet.example', { address: '0xf8d6e0586b0a20c7', keyIndex: 2 }) as {
      readonly services: readonly object[]
    }
    expect(services.map((service) => service)).to.have.length(3)
    expect(services[1]).to.deep.include({
      type: 'authz',
      method: 'POP/RPC',
      endpoint: 'https://wallet.example/fcl/authz',
      identity: { f_type: 'Identity', f_vsn: '1.0.0', address: '0xf8d6e0586b0a20c7', keyId: 2 },
    })
    expect(['mainnet', 'testnet', 'emulator', 'local', 'previewnet', 'constructor'].map(chainOfNetwork)).to.deep.equal([
      'mainnet',
      'testnet',
      'emulator',
      'emulator',
      undefined,
      undefined,
    ])
  })

  it('prove the account for their own origin, with a warning for a name, and for no other site', () => {
    const nonce = 'ab'.repeat(32)
    expect(proofRequest({}, origin)).to.deep.equal({ kind: 'none' })
    expect(proofRequest({ nonce }, origin)).to.deep.equal({
      kind: 'requested',
      appIdentifier: origin,
      nonce,
      isNamed: false,
    })
    expect(proofRequest({ nonce, appIdentifier: origin }, origin)).to.deep.include({
      kind: 'requested',
      isNamed: false,
    })
    for (const appIdentifier of ['Heron House', 'Awesome App (v0.0)', 'v2.1.3'])
      expect(proofRequest({ nonce, appIdentifier }, origin), appIdentifier).to.deep.include({
        kind: 'requested',
        isNamed: true,
      })
    const others = [
      'https://other.example',
      'other.example',
      'HTTPS://App.Example',
      'https://app.example/',
      '//other',
      'localhost:3000',
      '10.0.0.1',
      'other\uFF0Eexample',
      'a\u200B',
      'x.xn--p1ai',
      'other。example',
    ]
    for (const appIdentifier of others)
      expect(proofRequest({ nonce, appIdentifier }, origin).kind, appIdentifier).to.equal('foreign')
  })
})
