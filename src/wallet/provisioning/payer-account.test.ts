import { createECDH } from 'node:crypto'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { FatalError } from '../../platform/errors.ts'
import type { ChainAccount, ChainAccountKey } from '../../flow/chain-reader.ts'
import { PayerAccount } from './payer-account.ts'

const secret = '5f10a7fa42d15e0f0f1a9b6c3d7e8a214b5c6d7e8f90a1b2c3d4e5f607182939'
const orderOfP256 = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
const address = '0x1654653399040a61'
const text = `${address}/0/ECDSA_P256/SHA3_256/${secret}`

const publicKeyOf = (curve: string): string => {
  const pair = createECDH(curve)
  pair.setPrivateKey(secret, 'hex')
  return pair.getPublicKey('hex').slice(2)
}

describe('payer account', () => {
  const failure = (setting: string): string => {
    try {
      PayerAccount.parse(setting, 'WALLET_MAINNET_PAYER')
    } catch (error) {
      expect(error).to.be.instanceOf(FatalError)
      return (error as FatalError).message
    }
    return 'taken'
  }

  it('is parsed from its setting, with one or several keys', () => {
    const { keyIndexes, publicKey, ...read } = PayerAccount.parse(
      ` 1654653399040A61/0/ECDSA_P256/SHA3_256/0x${secret.toUpperCase()}\n`,
      'X',
    )
    expect(read.address).to.equal(address)
    expect(keyIndexes).to.deep.equal([0])
    expect(publicKey).to.equal(publicKeyOf('prime256v1'))
    const indexes = (part: string): readonly number[] =>
      PayerAccount.parse(text.replace('/0/', `/${part}/`), 'X').keyIndexes
    expect(indexes('3,5,4')).to.deep.equal([3, 5, 4])
    expect(indexes('1-4')).to.deep.equal([1, 2, 3, 4])
    expect(indexes('0-1,7,1-2')).to.deep.equal([0, 1, 7, 2])
  })

  it('reports an invalid setting without exposing the key', () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['', 'five parts'],
      [secret, 'five parts'],
      [`${text}/`, 'five parts'],
      [text.replace(address, '0xnone'), 'begin with an address'],
      [text.replace('/0/', '/-1/'), 'key index'],
      [text.replace('/0/', '/2-1/'), 'key index'],
      [text.replace('/0/', '/0-100/'), 'key index'],
      [text.replace('/0/', '//'), 'key index'],
      [text.replace('ECDSA_P256', 'constructor'), 'ECDSA_P256 or ECDSA_secp256k1'],
      [text.replace('SHA3_256', 'KECCAK_256'), 'SHA2_256 or SHA3_256'],
      [text.slice(0, -1), '64 hex digits'],
      [text.replace(secret, '0'.repeat(64)), '64 hex digits'],
      [text.replace(secret, orderOfP256), '64 hex digits'],
    ]
    for (const [setting, problem] of wrong) {
      const message = failure(setting)
      expect(message, setting).to.contain(problem).and.contain('WALLET_MAINNET_PAYER')
      expect(message).not.to.contain(secret.slice(0, 8))
    }
  })

  for (const algorithm of ['ECDSA_P256', 'ECDSA_secp256k1'] as const) {
    for (const hash of ['SHA2_256', 'SHA3_256'] as const) {
      it(`signs with ${algorithm} and ${hash}`, () => {
        const payer = PayerAccount.parse(`${address}/0/${algorithm}/${hash}/${secret}`, 'X')
        const message = Buffer.from('to be signed')
        const signature = payer.sign(message)
        expect(signature).to.have.length(64)
        expect(payer.verify(message, signature)).to.equal(true)
        expect(payer.verify(Buffer.from('another'), signature)).to.equal(false)
        for (const other of [
          'ECDSA_P256/SHA2_256',
          'ECDSA_P256/SHA3_256',
          'ECDSA_secp256k1/SHA2_256',
          'ECDSA_secp256k1/SHA3_256',
        ]) {
          if (other === `${algorithm}/${hash}`) continue
          expect(PayerAccount.parse(`${address}/0/${other}/${secret}`, 'X').verify(message, signature), other).to.equal(
            false,
          )
        }
      })
    }
  }

  it('prints its address, never its key', () => {
    const payer = PayerAccount.parse(text, 'X')
    const printed = [
      inspect(payer, { depth: 9, showHidden: true }),
      JSON.stringify({ payer }),
      String(payer),
      JSON.stringify(Object.entries(payer)),
    ]
    for (const one of printed) {
      expect(one).to.contain('1654653399040a61')
      expect(one)
        .not.to.contain(secret.slice(0, 8))
        .and.not.to.contain(Buffer.from(secret, 'hex').toString('base64url').slice(0, 8))
    }
  })

  it('cannot pay if the key on the chain does not match', () => {
    const payer = PayerAccount.parse(text.replace('/0/', '/0,2/'), 'X')
    const key = (index: number, change: Partial<ChainAccountKey> = {}): ChainAccountKey => ({
      index,
      publicKey: payer.publicKey,
      signatureAlgorithm: 2,
      hashAlgorithm: 3,
      weight: 1000,
      sequenceNumber: 0,
      isRevoked: false,
      ...change,
    })
    const problem = (...keys: readonly ChainAccountKey[]): string | undefined => {
      const account: ChainAccount = { address, balance: '1.00000000', keys, contracts: new Map() }
      return payer.problemOn(account)
    }
    expect(problem(key(0), key(1, { isRevoked: true }), key(2))).to.equal(undefined)
    expect(problem(key(0, { publicKey: payer.publicKey.toUpperCase() }), key(2))).to.equal(undefined)
    expect(payer.problemOn(undefined)).to.contain('does not exist')
    expect(problem(key(0)))
      .to.contain('key 2')
      .and.contain('does not exist')
    expect(problem(key(0), key(2, { isRevoked: true }))).to.contain('revoked')
    expect(problem(key(0), key(2, { publicKey: publicKeyOf('secp256k1') }))).to.contain('does not match')
    expect(problem(key(0, { signatureAlgorithm: 3 }), key(2))).to.contain('not of ECDSA_P256')
    expect(problem(key(0, { hashAlgorithm: 1 }), key(2))).to.contain('SHA3_256')
    expect(problem(key(0, { weight: 999 }), key(2))).to.contain('999')
  })
})
