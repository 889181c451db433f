import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { importsEvm, scriptHash } from './script.ts'

describe('scriptHash', () => {
  it('hashes the exact bytes, outer white space included', () => {
    const script = Buffer.from('  transaction {}\n')
    expect(scriptHash(script)).to.deep.equal(createHash('sha256').update(script).digest())
    expect(scriptHash(script)).not.to.deep.equal(scriptHash(Buffer.from('transaction {}')))
  })
})

describe('importsEvm', () => {
  it('looks for exactly that text', () => {
    expect(importsEvm(Buffer.from('import EVM from 0xe467b9dd11fa00df\ntransaction {}'))).to.equal(true)
    for (const text of ['', 'import evm from 0x1', 'import  EVM', 'import FungibleToken', 'import "EVM"']) {
      expect(importsEvm(Buffer.from(text)), text).to.equal(false)
    }
  })
})
