import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { addressList } from './client-address.ts'
import { refuseRebound } from './refuse-rebound.ts'

function request(
  host: string | undefined,
  {
    remoteAddress = '127.0.0.1',
    localAddress = '127.0.0.1',
    via,
    httpVersion = '1.1',
  }: { remoteAddress?: string; localAddress?: string; via?: string; httpVersion?: string } = {},
): IncomingMessage {
  return { headers: { host, via }, httpVersion, socket: { remoteAddress, localAddress } } as unknown as IncomingMessage
}

describe('a name that was made to lead to this machine', () => {
  it('is refused from this machine, by whichever of its addresses it was called', () => {
    for (const at of [
      {},
      { remoteAddress: '::ffff:127.0.0.1' },
      { remoteAddress: '::1', localAddress: '::1' },
      { remoteAddress: '192.168.1.5', localAddress: '192.168.1.5' },
    ]) {
      expect(() => refuseRebound(request('rebound.example:3002', at), 'localhost'), JSON.stringify(at)).to.throw(
        /Host rebound.example is not a name/,
      )
    }
  })

  it('is let through for own names, names of no site, trusted proxies, and from other machines', () => {
    refuseRebound(request('LSP.example:3002'), ['0.0.0.0', 'lsp.example'])
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:1', 'machine', undefined])
      refuseRebound(request(host), '0.0.0.0')
    refuseRebound(request('rebound.example'), '0.0.0.0', addressList(['127.0.0.1']))
    refuseRebound(request('rebound.example', { via: '1.1 gate' }), '0.0.0.0')
    refuseRebound(request('rebound.example', { httpVersion: '1.0' }), '0.0.0.0')
    refuseRebound(request('rebound.example', { remoteAddress: '192.168.1.6', localAddress: '192.168.1.5' }), '0.0.0.0')
  })
})
