import { createECDH } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { maxSearchLength } from '../parameters.ts'
import { parseSearchText } from './search-text.ts'
import type { Reference, SearchText } from './search-text.ts'

const id = 'cfbc7b15bfc0f269ec1d1b934cd86857686a6d82eee50645558f8b62e7d87639'
const evm = 'F1815bd50389c46847f0Bda824eC8da914045D14'

const hexDigits = (min: number, max = min): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: min, maxLength: max })
const inAnyCase = (digits: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(digits, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text))

function referencesOf(text: string): readonly Reference[] {
  return parseSearchText(text).references
}

describe('parseSearchText', () => {
  it('reads any text, into few references', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: maxSearchLength }), (text) => {
        const { references, name = '' } = parseSearchText(text)
        expect(references.length).to.be.at.most(3)
        // NFKC makes up to 18 characters of one.
        expect(name.length).to.be.at.most(18 * maxSearchLength)
      }),
    )
  })

  it('reads heights with separators', () => {
    const separators = [',', ' ', '\u00a0', '\u202f', '.', "'", '’', '_', '']
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999_999 }), fc.constantFrom(...separators), (height, separator) => {
        const text = String(height).replaceAll(/\B(?=(\d{3})+$)/g, separator)
        for (const given of [text, `#${text}`, ` ${text} `, `block ${text}`, `"${text}"`])
          expect(referencesOf(given), given).to.deep.include({ form: 'number', value: height })
      }),
    )
    expect(referencesOf('12,34,567')).to.deep.equal([{ form: 'number', value: 1_234_567 }])
    expect(referencesOf('１２３')).to.deep.equal([{ form: 'number', value: 123 }])
    for (const text of ['1,2', '1,,234', '1_', '-1', '1.5', '1e9', '1234567890123456'])
      expect(
        referencesOf(text).filter(({ form }) => form === 'number'),
        text,
      ).to.deep.equal([])
  })

  it('reads leading words', () => {
    const references = [{ form: 'number', value: 123 }]
    expect(parseSearchText('block #123')).to.deep.include({ kind: 'block', references })
    expect(parseSearchText('EVM block 123')).to.deep.include({ kind: 'evm_block', references })
    expect(parseSearchText(`tx: ${id}`)).to.deep.include({ kind: 'transaction' })
    expect(parseSearchText('block party')).to.deep.include({ kind: undefined, name: 'block party' })
  })

  it('reads accounts with and without 0x and leading zeros', () => {
    fc.assert(
      fc.property(inAnyCase(hexDigits(4, 16)), fc.constantFrom('0x', '0X', ''), (digits, prefix) => {
        fc.pre(prefix !== '' || !/^\d+$/.test(digits))
        const address = `0x${digits.toLowerCase().padStart(16, '0')}`
        expect(referencesOf(`${prefix}${digits}`)).to.deep.include({ form: 'account', address })
      }),
    )
  })

  it('reads ids, hashes and EVM addresses in any case', () => {
    fc.assert(
      fc.property(inAnyCase(hexDigits(64)), inAnyCase(hexDigits(40)), fc.constantFrom('0x', ''), (hash, address, x) => {
        expect(parseSearchText(`${x}${hash}`)).to.deep.include({
          references: [{ form: 'hash', digits: hash.toLowerCase() }],
          name: undefined,
        })
        expect(referencesOf(`${x}${address}`)).to.deep.equal([{ form: 'evm_address', digits: address.toLowerCase() }])
      }),
    )
  })

  it('reads shortened ids', () => {
    fc.assert(
      fc.property(
        hexDigits(4, 10),
        hexDigits(4, 10),
        fc.constantFrom('…', '...', '..', ' … ', '*'),
        (start, end, dots) => {
          const expected = [{ form: 'shortened', start, end }]
          for (const text of [`0x${start}${dots}${end}`, `${start.toUpperCase()}${dots}${end}`])
            expect(referencesOf(text), text).to.deep.equal(expected)
        },
      ),
    )
    expect(referencesOf('0x0…2fd4…9977')).to.deep.equal([
      { form: 'shortened', start: `${'0'.repeat(23)}2fd4`, end: '9977' },
    ])
    expect(referencesOf('0xf8…7')).to.deep.equal([])
    expect(referencesOf('cfbc7b15bfc0f269ec')).to.deep.equal([
      { form: 'shortened', start: 'cfbc7b15bfc0f269ec', end: '' },
    ])
  })

  it('reads public keys in all encodings', () => {
    const headers = {
      prime256v1: '3059301306072a8648ce3d020106082a8648ce3d030107034200',
      secp256k1: '3056301006072a8648ce3d020106052b8104000a034200',
    }
    for (const [curve, header] of Object.entries(headers)) {
      const key = createECDH(curve)
      const point = key.generateKeys('hex')
      const compressed = key.getPublicKey('hex', 'compressed')
      const digits = point.slice(2)
      const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
      const pem = `-----BEGIN PUBLIC KEY----- ${base64(`${header}${point}`)} -----END PUBLIC KEY-----`
      for (const text of [digits, `0x${digits}`, point, digits.toUpperCase(), `${header}${point}`, base64(point), pem])
        expect(referencesOf(text), text).to.deep.equal([{ form: 'public_key', digits }])
      expect(referencesOf(compressed)).to.deep.include({ form: 'public_key', digits: compressed })
      expect(referencesOf(base64(compressed))).to.deep.include({ form: 'public_key', digits: compressed })
    }
  })

  it('reads days and times', () => {
    const day = { form: 'time', from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' } as const
    for (const text of ['2026-11-20', '2026/11/20', '20 Nov 2026', 'November 20, 2026', 'nov 20 2026'])
      expect(referencesOf(text), text).to.deep.equal([day])
    const moment = { form: 'time', from: '2026-11-20T14:30:00.000Z' } as const
    for (const text of [
      '2026-11-20 14:30',
      '2026-11-20T14:30:00Z',
      '2026-11-20 14:30:00 UTC',
      '2026-11-20T16:30+02:00',
    ])
      expect(referencesOf(text), text).to.deep.equal([moment])
    for (const text of ['2026-02-30', '2026-13-01', '0000-00-00', '30 deck 2026', '32 May 2026', '2026-11/20'])
      expect(referencesOf(text), text).to.deep.equal([])
  })

  it('reads identifiers of contracts, types and events', () => {
    const name = 'A.0b2a3299cc857e29.TopShot'
    const texts = ['', '.NFT', '.Vault', '.Collection'].flatMap((type) => [
      `${name}${type}`,
      `0x${name.slice(2)}${type}`,
    ])
    for (const text of [...texts, 'a.0x0B2A3299cc857e29.TopShot', 'A.b2a3299cc857e29.TopShot'])
      expect(parseSearchText(text), text).to.deep.equal({ kind: undefined, references: [], name, item: undefined })
    expect(parseSearchText(`${name}.Deposit`).name).to.equal(`${name}.Deposit`)
    expect(parseSearchText('flow.AccountCreated').name).to.equal('flow.AccountCreated')
  })

  it('reads items of collections', () => {
    for (const text of ['TopShot #123', 'TopShot#123', 'TopShot 123', 'TopShot/123', 'TopShot # 0123'])
      expect(parseSearchText(text).item, text).to.deep.equal({ collection: 'TopShot', id: '123' })
    const collection = 'A.0b2a3299cc857e29.TopShot'
    for (const text of [`${collection} #123`, `${collection}.NFT-123`, `${collection}.NFT/123`])
      expect(parseSearchText(text).item, text).to.deep.equal({ collection, id: '123' })
    expect(parseSearchText('1 234').item).to.equal(undefined)
  })

  it('reads links of explorers', () => {
    const contract = 'A.0b2a3299cc857e29.TopShot'
    const hash: Reference[] = [{ form: 'hash', digits: id }]
    const address: Reference[] = [{ form: 'evm_address', digits: evm.toLowerCase() }]
    const account: Reference[] = [{ form: 'account', address: '0x18eb4ee6b3c026d2' }]
    const links: Readonly<Record<string, Partial<SearchText>>> = {
      [`https://www.flowscan.io/tx/${id}?tab=events`]: { kind: 'transaction', references: hash },
      [`flowscan.io/tx/${id}`]: { kind: 'transaction', references: hash },
      [`https://flowscan.org/transaction/${id}`]: { kind: 'transaction', references: hash },
      [`https://testnet.flowdiver.io/tx/${id}`]: { kind: 'transaction', references: hash },
      [`https://explorer.flow.com/tx/${id}`]: { kind: 'transaction', references: hash },
      [`https://evm.flowscan.io/tx/0x${id}`]: { kind: 'evm_transaction', references: hash },
      [`https://flowscan.io/evm/tx/0x${id}#logs`]: { kind: 'evm_transaction', references: hash },
      'https://www.flowscan.io/block/114923177': {
        kind: 'block',
        references: [{ form: 'number', value: 114_923_177 }],
      },
      'https://testnet.explorer.flow.com/scheduled/2000865': {
        kind: 'scheduled_transaction',
        references: [{ form: 'number', value: 2_000_865 }],
      },
      'https://www.flowdiver.io/account/0x18eb4ee6b3c026d2?tab=keys': { kind: 'account', references: account },
      'https://flowscan.io/account/0x18eb4ee6b3c026d2/nfts': { kind: 'account', references: account },
      [`https://evm-testnet.flowscan.io/address/0x${evm}?tab=contract`]: { kind: 'evm_address', references: address },
      [`https://flowscan.io/evm/contract/0x${evm}`]: { kind: 'evm_address', references: address },
      'https://evm.flowscan.io/block/123': { kind: 'evm_block', references: [{ form: 'number', value: 123 }] },
      [`https://evm.flowscan.io/token/0x${evm}/instance/5`]: { kind: 'evm_token', references: address },
      [`https://www.flowscan.io/contract/${contract}?tab=deployments`]: { kind: 'contract', name: contract },
      [`https://contractbrowser.com/${contract}`]: { kind: undefined, name: contract },
      [`https://www.flowscan.io/ft/token/${contract}.Vault`]: { kind: 'token', name: contract },
      [`https://www.flowscan.io/nft/${contract}.NFT`]: { kind: 'collection', name: contract, item: undefined },
      [`https://www.flowscan.io/nft/${contract}.NFT/492`]: {
        kind: 'collection',
        item: { collection: contract, id: '492' },
      },
      [`https://flowscan.io/nft/${contract}.NFT/token/${contract}.NFT-492`]: {
        kind: 'collection',
        item: { collection: contract, id: '492' },
      },
      [`http://localhost:8080/nft/${contract}/item/7`]: { kind: 'collection', item: { collection: contract, id: '7' } },
      [`localhost:8080/transaction/${id}?height=5`]: { kind: 'transaction', references: hash },
      [`/node/${id}`]: { kind: 'node', references: hash },
      [`/evm/address/0x${evm}`]: { kind: 'evm_address', references: address },
      'https://flowscan.io': { references: [], name: undefined },
      'https://%E0%A4%A/%zz': { references: [], name: undefined },
    }
    for (const [link, expected] of Object.entries(links)) expect(parseSearchText(link), link).to.deep.include(expected)
  })

  it('reads plain names', () => {
    for (const text of ['FlowToken', 'USDC.e', 'river stones', '宝石', 'Block Party', 'facade'])
      expect(parseSearchText(text), text).to.deep.include({ kind: undefined, name: text })
  })
})
