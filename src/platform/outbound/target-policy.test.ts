import { expect } from 'chai'
import { resolveTarget, TargetRefused } from './resolve-target.ts'
import { targetPolicy } from './target-policy.ts'

const web = targetPolicy([])
const host = new URL('https://receiver.example/hook')

describe('webhook target policy', () => {
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '100::1',
    'not an address',
  ]) {
    it(`rejects the address ${address}`, () => expect(web.refusalOfAddress(address, host)).to.be.a('string'))
  }

  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1']) {
    it(`accepts the address ${address}`, () => expect(web.refusalOfAddress(address, host)).to.equal(undefined))
  }

  for (const url of [
    'http://receiver.example/',
    'ftp://receiver.example/',
    'https://user:secret@receiver.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://8.8.8.8:22/',
  ]) {
    it(`rejects the URL ${url}`, () => expect(web.refusalOfUrl(new URL(url))).to.be.a('string'))
  }

  it('rejects a name that resolves to a blocked address, even among others', async () => {
    for (const addresses of [['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:10.0.0.1'], []]) {
      await refused(resolveTarget(host, web, () => Promise.resolve(addresses)))
    }
    expect(await resolveTarget(host, web, () => Promise.resolve(['8.8.8.8']))).to.equal('8.8.8.8')
  })

  it('rejects a name that resolves differently on a second lookup', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']]
    const lookUp = (): Promise<string[]> => Promise.resolve(answers.shift() ?? [])
    expect(await resolveTarget(host, web, lookUp)).to.equal('8.8.8.8')
    await refused(resolveTarget(host, web, lookUp))
  })

  it('accepts an allowed network, by http and on any port', async () => {
    const own = targetPolicy(['127.0.0.0/8'])
    expect(own.refusalOfUrl(new URL('http://127.0.0.1:22/'))).to.equal(undefined)
    expect(own.refusalOfUrl(new URL('http://10.0.0.1/'))).to.be.a('string')
    expect(
      await resolveTarget(new URL('http://localhost:8000/'), own, () => Promise.resolve(['127.0.0.1', '::1'])),
    ).to.equal('127.0.0.1')
    await refused(resolveTarget(new URL('http://receiver.example/'), own, () => Promise.resolve(['8.8.8.8'])))
  })
})

async function refused(promise: Promise<unknown>): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(TargetRefused)
}
