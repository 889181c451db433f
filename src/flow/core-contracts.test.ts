import { expect } from 'chai'
import { inNetwork } from './core-contracts.ts'

describe('network-specific text', () => {
  it('contains the core contract addresses of the network', () => {
    const text = 'import "FlowToken"\n  import "EVM"\n0x{FlowFees} A.{FlowToken}.FlowToken on {network}'
    expect(inNetwork(text, 'mainnet')).to.equal(
      'import FlowToken from 0x1654653399040a61\n  import EVM from 0xe467b9dd11fa00df\n' +
        '0xf919ee77447b7497 A.1654653399040a61.FlowToken on mainnet',
    )
    expect(inNetwork(text, 'testnet')).to.include('from 0x7e60df042a9c0868').and.include('on testnet')
    expect(inNetwork(text, 'emulator')).to.include(
      'A.0ae53cb6e3f42a79.FlowToken on this chain, which has the addresses of the emulator',
    )
  })

  it('leaves other names, and names within a sentence, unchanged', () => {
    const text =
      'import "Unknown"\n0x{Unknown} A.{constructor} {FlowToken} BA.{FlowToken}\nwrite `import "FlowToken"` so'
    expect(inNetwork(text, 'mainnet')).to.equal(text)
  })
})
