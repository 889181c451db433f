import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { CadenceParser } from '@onflow/cadence-parser'
import { expect } from 'chai'
import fc from 'fast-check'
import { SigningError } from '../../clients/signing/signing-error.ts'
import { amountText, amountUnits } from '../../clients/signing/transactions/cadence-arguments.ts'
import { nameOfScript, readKnownTransaction } from '../../clients/signing/transactions/known-transaction.ts'
import type { FlowChain } from '../../clients/signing/transactions/transaction-scripts.ts'
import {
  addContract,
  addKey,
  createAccount,
  createEvmAccount,
  enableCollection,
  enableToken,
  fundEvmAccount,
  revokeKey,
  sendFlow,
  sendFlowToEvm,
  sendNft,
  sendToken,
  updateContract,
  withdrawEvmAccount,
} from '../../clients/signing/transactions/make-transaction.ts'
import {
  flowContracts,
  transactionNames,
  transactionScript,
} from '../../clients/signing/transactions/transaction-scripts.ts'
import { coreContracts } from '../../src/flow/core-contracts.ts'

const chains = Object.keys(flowContracts) as FlowChain[]
const publicKey = 'ab'.repeat(64)
const anyChain = fc.constantFrom(...chains)
const anyAmount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const anyAddress = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((word) => `0x${word.toString(16).padStart(16, '0')}`)

describe('wallet transactions', () => {
  it('of tokens, NFTs and EVM accounts parse into the same transaction', () => {
    fc.assert(
      fc.property(anyChain, anyAmount, anyAddress, (chain, amount, to) => {
        const type = `A.${to.slice(2)}.Heron_1.Vault`
        const evm = `0x${'ab'.repeat(20)}`
        const all = [
          [sendToken(chain, { type, amount, to }), { name: 'send-token', type, amount, to }],
          [sendNft(chain, { type, id: amount, to }), { name: 'send-nft', type, id: amount, to }],
          [enableToken(chain, { type }), { name: 'enable-token', type }],
          [enableCollection(chain, { type }), { name: 'enable-collection', type }],
          [createEvmAccount(chain), { name: 'create-evm-account' }],
          [fundEvmAccount(chain, amount), { name: 'fund-evm-account', amount }],
          [withdrawEvmAccount(chain, amount), { name: 'withdraw-evm-account', amount }],
          [sendFlowToEvm(chain, { amount, to: evm }), { name: 'send-flow-to-evm', amount, to: evm }],
        ] as const
        for (const [code, known] of all) expect(readKnownTransaction(code, chain)).to.deep.equal(known)
      }),
    )
  })

  it('are not recognised if the contract is not that of the type', () => {
    const to = '0x1d7e57aa55817448'
    const { script, arguments: given } = sendToken('mainnet', {
      type: 'A.1654653399040a61.Pebble.Vault',
      amount: 1n,
      to,
    })
    const other = sendToken('mainnet', { type: 'A.1d7e57aa55817448.Free.Vault', amount: 1n, to }).arguments
    for (const at of [0, 1, 2]) {
      const mixed = given.map((one, i) => (i === at ? (other[i] ?? '') : one))
      expect(readKnownTransaction({ script, arguments: mixed }, 'mainnet'), `argument ${at}`).to.equal(undefined)
    }
    for (const type of [
      'FlowToken',
      'A.1.FlowToken.Vault',
      'A.1654653399040a61.Flow"Token.Vault',
      'A.1654653399040a61.X',
    ])
      expect(() => enableToken('mainnet', { type }), type).to.throw(SigningError)
    expect(() => sendFlowToEvm('mainnet', { amount: 1n, to: '0x1d7e57aa55817448' })).to.throw(SigningError)
    expect(() => sendNft('mainnet', { type: 'A.1654653399040a61.Pebble.NFT', id: 2n ** 64n, to })).to.throw(
      SigningError,
    )
  })

  it('are valid Cadence, and import from the core contracts of their chain', async () => {
    const wasm = createRequire(import.meta.url)
      .resolve('@onflow/cadence-parser')
      .replace(/cjs\/index\.js$/, 'cadence-parser.wasm')
    const parser = await CadenceParser.create(readFileSync(wasm))
    for (const chain of chains) {
      const { fungibleToken, flowToken, nonFungibleToken, service } = coreContracts(chain)
      expect(flowContracts[chain]).to.deep.equal({ fungibleToken, flowToken, nonFungibleToken, evm: service })
      for (const name of transactionNames) {
        const { error } = parser.parse(transactionScript(name, chain)) as { readonly error?: unknown }
        expect(error, `${name} on ${chain}`).to.equal(undefined)
      }
    }
  })

  it('parse into the same transaction', () => {
    fc.assert(
      fc.property(
        anyChain,
        anyAmount,
        anyAddress,
        fc.nat({ max: 1000 }),
        fc.nat(),
        (chain, amount, to, weight, keyIndex) => {
          const key = {
            publicKey: `04${publicKey}`,
            weight,
            signatureAlgorithm: 'ECDSA_secp256k1',
            hashAlgorithm: 'SHA3_256',
          } as const
          const read = { ...key, publicKey, weight: BigInt(weight) * 100_000_000n }
          expect(readKnownTransaction(sendFlow(chain, { amount, to }), chain)).to.deep.equal({
            name: 'send-flow',
            amount,
            to,
          })
          expect(readKnownTransaction(createAccount(chain, { ...key, startBalance: amount }), chain)).to.deep.equal({
            name: 'create-account',
            key: read,
            startBalance: amount,
          })
          expect(readKnownTransaction(addKey(chain, key), chain)).to.deep.equal({ name: 'add-key', key: read })
          expect(readKnownTransaction(revokeKey(chain, keyIndex), chain)).to.deep.equal({
            name: 'revoke-key',
            keyIndex,
          })
        },
      ),
    )
  })

  it('read contracts with any code, written as one JSON string', () => {
    fc.assert(
      fc.property(anyChain, fc.string({ unit: 'binary' }), (chain, code) => {
        const source = { name: 'Counter', code }
        for (const [name, make] of [
          ['add-contract', addContract],
          ['update-contract', updateContract],
        ] as const) {
          const transaction = make(chain, source)
          expect(readKnownTransaction(transaction, chain)).to.deep.equal({ name, contract: 'Counter', code })
          const [contract = ''] = transaction.arguments
          const twice = `{"type":"String","value":"a","value":${JSON.stringify(code)}}`
          expect(readKnownTransaction({ ...transaction, arguments: [contract, twice] }, chain)).to.equal(undefined)
        }
      }),
    )
  })

  it('give a passkey full key weight', () => {
    expect(readKnownTransaction(createAccount('mainnet', { publicKey }), 'mainnet')).to.deep.equal({
      name: 'create-account',
      startBalance: 0n,
      key: { publicKey, signatureAlgorithm: 'ECDSA_P256', hashAlgorithm: 'SHA2_256', weight: 100_000_000_000n },
    })
  })

  it('are recognized by their text, independent of indentation and line ends, and only by all of it', () => {
    const script = transactionScript('send-flow', 'mainnet')
    const known = (text: string): unknown => nameOfScript(text, 'mainnet')
    expect(known(script.replaceAll('\n', '\r\n').replaceAll('    ', '\t'))).to.equal('send-flow')
    expect(known(`\n\n${script}\n`)).to.equal('send-flow')
    expect(known(transactionScript('send-flow', 'testnet'))).to.equal(undefined)
    expect(known(script.replace('self.sent <-', '// self.sent <-'))).to.equal(undefined)
    expect(known(script.replace('withdraw(amount: amount)', 'withdraw(amount: vault.balance)'))).to.equal(undefined)
    expect(known(script.replace('getAccount(to)', 'getAccount(0x1)'))).to.equal(undefined)
    expect(known(script.replaceAll('\n', ' '))).to.equal(undefined)
  })

  for (const [what, argument] of [
    ['a duplicate value', '{"type":"UFix64","value":"1.0","value":"9.0"}'],
    ['a value whose name is spelt otherwise', '{"type":"UFix64","value":"1.0","Value":"9.0"}'],
    ['an escaped name', '{"type":"UFix64","\\u0076alue":"1.0"}'],
    ['another type', '{"type":"Fix64","value":"1.0"}'],
    ['no point', '{"type":"UFix64","value":"1"}'],
    ['too many decimals', '{"type":"UFix64","value":"1.000000001"}'],
    ['too much', '{"type":"UFix64","value":"184467440737.09551616"}'],
    ['a number', '{"type":"UFix64","value":1.0}'],
    ['no JSON', '1.0'],
  ] as const) {
    it(`are not recognized with an amount of ${what}`, () => {
      const {
        script,
        arguments: [, to = ''],
      } = sendFlow('mainnet', { amount: 1n, to: '0x1' })
      expect(readKnownTransaction({ script, arguments: [argument, to] }, 'mainnet')).to.equal(undefined)
    })
  }

  it('are not recognized with missing or extra arguments', () => {
    for (const made of [
      sendFlow('mainnet', { amount: 1n, to: '0x1' }),
      createAccount('mainnet', { publicKey }),
      addKey('mainnet', { publicKey }),
      revokeKey('mainnet', 1),
    ]) {
      expect(readKnownTransaction(made, 'mainnet')).not.to.equal(undefined)
      expect(
        readKnownTransaction({ ...made, arguments: [...made.arguments, '{"type":"Int","value":"1"}'] }, 'mainnet'),
      ).to.equal(undefined)
      expect(readKnownTransaction({ ...made, arguments: made.arguments.slice(1) }, 'mainnet')).to.equal(undefined)
    }
  })

  it('reject arguments that the chain rejects', () => {
    for (const make of [
      () => addKey('mainnet', { publicKey: 'ab' }),
      () => addKey('mainnet', { publicKey, weight: 1001 }),
      () => addKey('mainnet', { publicKey, weight: 0.5 }),
      () => revokeKey('mainnet', -1),
      () => sendFlow('mainnet', { amount: -1n, to: '0x1' }),
      () => sendFlow('mainnet', { amount: 2n ** 64n, to: '0x1' }),
      () => sendFlow('mainnet', { amount: 1n, to: 'somebody' }),
      () => amountUnits('1,5'),
      () => amountUnits('1.000000001'),
      () => amountUnits('-1'),
      () => amountUnits('184467440737.09551616'),
      () => amountUnits('1e3'),
    ])
      expect(make).to.throw(SigningError)
  })

  it('have exact amounts', () => {
    expect(amountUnits('0.1') + amountUnits('0.2')).to.equal(amountUnits('0.3'))
    fc.assert(
      fc.property(anyAmount, (units) => {
        expect(amountUnits(amountText(units))).to.equal(units)
      }),
    )
  })
})
