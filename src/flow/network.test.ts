import { expect } from 'chai'
import { encodingFor, isInPastSpork, sporkOfHost, sporkOfRoot, sporks } from './network.ts'

describe('sporks', () => {
  it('are contiguous', () => {
    for (const network of ['mainnet', 'testnet'] as const) {
      const own = sporks.filter((spork) => spork.network === network)
      for (const [i, spork] of own.entries()) {
        expect(spork.endHeight, spork.name).to.equal(own[i + 1]?.rootHeight)
        if (spork.endHeight !== undefined) expect(spork.endHeight).to.be.greaterThan(spork.rootHeight)
      }
    }
  })

  it('are found by the host names of their nodes', () => {
    expect(sporkOfHost('access-001.mainnet17.nodes.onflow.org:9000')).to.include({
      name: 'mainnet17',
      rootHeight: 27_341_470,
    })
    expect(sporkOfHost('https://access-007.mainnet1.nodes.onflow.org')).to.include({ name: 'mainnet1' })
    expect(sporkOfHost('access-001.candidate9.nodes.onflow.org:9000')).to.include({ name: 'candidate9', legacy: true })
    expect(sporkOfHost('access-001.devnet52.nodes.onflow.org:9000')).to.include({ network: 'testnet' })
    for (const spork of sporks) {
      if (spork.endpoint !== undefined && spork.endHeight !== undefined)
        expect(sporkOfHost(spork.endpoint)).to.equal(spork)
    }
  })

  it('are not guessed for other hosts', () => {
    for (const host of [
      'access.mainnet.nodes.onflow.org:9000',
      '127.0.0.1:9000',
      'access-001.mainnet99.nodes.onflow.org:9000',
      'xmainnet1.example:1',
      'mainnet17x.example:1',
    ]) {
      expect(sporkOfHost(host), host).to.equal(undefined)
    }
  })

  it('are found by their root heights', () => {
    expect(sporkOfRoot(88_226_267)).to.include({ name: 'mainnet26' })
    expect(sporkOfRoot(88_226_268)).to.equal(undefined)
  })
})

describe('isInPastSpork', () => {
  it('is true up to the latest root height', () => {
    expect(isInPastSpork('mainnet', 1_065_711)).to.equal(true)
    expect(isInPastSpork('mainnet', 137_390_145)).to.equal(true)
    expect(isInPastSpork('mainnet', 137_390_146)).to.equal(false)
    expect(isInPastSpork('emulator', 2_000_000)).to.equal(false)
  })
})

describe('encodingFor', () => {
  it('returns JSON-CDC only below mainnet26', () => {
    expect(encodingFor('mainnet', 88_226_266)).to.equal('json-cdc')
    expect(encodingFor('mainnet', 88_226_267)).to.equal('ccf')
    expect(encodingFor('testnet', 1)).to.equal('ccf')
    expect(encodingFor('emulator', 0)).to.equal('ccf')
  })
})
