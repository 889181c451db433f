import { expect } from 'chai'
import { contractCodeHash, findContractCode, declaredEvents } from './find-contract-code.ts'

import * as fc from 'fast-check'

const code = 'access(all) contract A {\n  init() { log("é\\t😀") }\n}'
const bytes = Buffer.from(code)
const wanted = contractCodeHash(bytes)
const text = (value: string): object => ({ type: 'String', value })
const array = (value: readonly object[]): object => ({ type: 'Array', value })
const uint8s = (values: Buffer): object => array([...values].map((value) => ({ type: 'UInt8', value: String(value) })))

describe('findContractCode', () => {
  it('hashes as the chain does', () => {
    expect(contractCodeHash(Buffer.alloc(0)).toString('hex')).to.equal(
      'a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a',
    )
  })

  it('finds code in an argument as plain text, hex or bytes', () => {
    const hex = bytes.toString('hex')
    const dictionary = { type: 'Dictionary', value: [{ key: text('A'), value: text(hex) }] }
    for (const args of [
      [text(code)],
      [text('A'), text(hex)],
      [text(`0x${hex.toUpperCase()}`)],
      [uint8s(bytes)],
      [dictionary],
      [array([text('B'), array([uint8s(Buffer.from('no')), uint8s(bytes)])])],
      [{ type: 'Optional', value: text(code) }],
      [{ type: 'Struct', value: { id: 'S', fields: [{ name: 'code', value: text(code) }] } }],
    ]) {
      const found = findContractCode(wanted, '', args)
      expect(found, JSON.stringify(args).slice(0, 60)).to.deep.equal({ code: bytes, foundIn: 'argument' })
    }
  })

  it('finds code in a string literal of the script', () => {
    const escaped = code.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replace('é', '\\u{e9}')
    for (const literal of [escaped, bytes.toString('hex')]) {
      const call = `a.contracts.add(name: "A", code: "${literal}".utf8)`
      const script = `transaction { prepare(a: &Account) { let s = "x" /* " */ ${call} } }`
      expect(findContractCode(wanted, script, [text('x')])).to.deep.equal({ code: bytes, foundIn: 'script' })
    }
  })

  it('ignores other values', () => {
    expect(findContractCode(wanted, 'transaction {}', [])).to.equal(undefined)
    const args = [text(`${code} `), null, 5, array([]), { undecoded: '0x00' }]
    expect(findContractCode(wanted, `"${code.slice(1)}"`, args)).to.equal(undefined)
  })

  it('accepts any JSON as arguments', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.string(), (args, script) => {
        expect(findContractCode(wanted, script, args)).to.equal(undefined)
      }),
    )
  })
})

describe('declaredEvents', () => {
  it('lists the events that a contract declares, once each and in order', () => {
    const code = `
      // event Commented(a: Int)
      access(all) contract A {
        access(all) event Moved (id: UInt64, to: Address?)
        pub event Ended()
        access(all) resource interface B {
          access(all) event Ended() access(all) event ResourceDestroyed(uuid: UInt64 = self.uuid)
        }
        let event: String
        init() { self.event = "event Written(a: Int)" emit Moved(id: 1, to: nil) }
      }`
    expect(declaredEvents(code)).to.deep.equal(['Moved', 'Ended', 'ResourceDestroyed'])
  })

  it('returns an empty list for text that is not code', () => {
    for (const code of ['', 'event', 'event A', 'event "A"(']) expect(declaredEvents(code)).to.deep.equal([])
  })
})
