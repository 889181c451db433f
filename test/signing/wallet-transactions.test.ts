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
  sendErc20,
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
import { checksumAddress } from '../../clients/signing/transactions/evm-address.ts'
import { coreContracts } from '../../src/flow/core-contracts.ts'
import { keccak256 } from '../../src/flow/evm/keccak256.ts'

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
          [
            sendErc20(chain, { token: evm, decimals: 18, amount: amount ** 3n, to: `0x${'cd'.repeat(20)}` }),
            { name: 'send-erc20', token: evm, decimals: 18, amount: amount ** 3n, to: `0x${'cd'.repeat(20)}` },
          ],
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

  it('of ERC-20 tokens check addresses, decimals and amounts', () => {
    const token = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const payment = { token, decimals: 6, amount: 1n, to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }
    const { script, arguments: given } = sendErc20('mainnet', payment)
    expect(readKnownTransaction({ script, arguments: given }, 'mainnet')).to.deep.equal({
      name: 'send-erc20',
      ...payment,
      token: token.toLowerCase(),
      to: payment.to.toLowerCase(),
    })
    for (const [field, wrong] of [
      ['to', { to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A' }],
      ['to', { to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d3' }],
      ['to', { to: token }],
      ['to', { to: `0x${'0'.repeat(40)}` }],
      ['token', { token: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' }],
      ['decimals', { decimals: 256 }],
      ['decimals', { decimals: -1 }],
      ['amount', { amount: 2n ** 256n }],
      ['amount', { amount: -1n }],
    ] as const)
      expect(() => sendErc20('mainnet', { ...payment, ...wrong }), JSON.stringify(Object.keys(wrong)))
        .to.throw(SigningError)
        .with.property('field', field)
    expect(sendErc20('mainnet', { ...payment, decimals: 255, amount: 2n ** 256n - 1n }).arguments[2]).to.match(
      /"\d{78}"/,
    )
    const [tokenText = '', decimals = '', , to = ''] = given
    for (const [what, mixed] of Object.entries({
      'its own contract as recipient': [tokenText, decimals, given[2] ?? '', tokenText],
      'mixed case': [JSON.stringify({ type: 'String', value: token }), decimals, given[2] ?? '', to],
      'more than 2^256': [tokenText, decimals, JSON.stringify({ type: 'UInt256', value: '9'.repeat(78) }), to],
      'decimals above a byte': [tokenText, JSON.stringify({ type: 'UInt8', value: '256' }), given[2] ?? '', to],
      'one argument more': [...given, to],
      'one argument less': given.slice(0, 3),
    }))
      expect(readKnownTransaction({ script, arguments: mixed }, 'mainnet'), what).to.equal(undefined)
  })

  it('have the checksums of EIP-55', () => {
    for (const address of [
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
      '0xde709f2102306220921060314715629080e2fb77',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    ])
      expect(checksumAddress(address.toLowerCase())).to.equal(address)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const digits = Buffer.from(bytes).toString('hex')
        const hash = keccak256(Buffer.from(digits)).toString('hex')
        const written = Array.from(digits, (digit, at) => ((hash[at] ?? '') >= '8' ? digit.toUpperCase() : digit))
        expect(checksumAddress(`0x${digits}`)).to.equal(`0x${written.join('')}`)
      }),
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
