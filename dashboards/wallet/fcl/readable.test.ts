import { expect } from 'chai'
import fc from 'fast-check'
import { hexOf } from '../../../clients/signing/bytes.ts'
import { readCadenceValue, readableMessage } from './readable.ts'

const utf8 = new TextEncoder()

describe('readable arguments', () => {
  it('have type and value', () => {
    const shown: readonly (readonly [unknown, string, string])[] = [
      [{ type: 'UFix64', value: '1.50000000' }, 'UFix64', '1.50000000'],
      [{ type: 'Int', value: '-7' }, 'Int', '-7'],
      [{ type: 'Bool', value: false }, 'Bool', 'false'],
      [{ type: 'String', value: 'a "b"\n' }, 'String', '"a \\"b\\"\\n"'],
      [{ type: 'Address', value: '0xAB' }, 'Address', '0xab'],
      [{ type: 'Optional', value: null }, 'Optional', 'nil'],
      [{ type: 'Optional', value: { type: 'UInt64', value: '3' } }, 'UInt64?', '3'],
      [{ type: 'Array', value: [] }, '[]', '[]'],
      [
        {
          type: 'Array',
          value: [
            { type: 'UInt8', value: '1' },
            { type: 'UInt8', value: '2' },
          ],
        },
        '[UInt8]',
        '[1, 2]',
      ],
      [
        { type: 'Dictionary', value: [{ key: { type: 'String', value: 'k' }, value: { type: 'Bool', value: true } }] },
        '{String: Bool}',
        '{"k": true}',
      ],
      [
        { type: 'Path', value: { domain: 'public', identifier: 'flowTokenReceiver' } },
        'Path',
        '/public/flowTokenReceiver',
      ],
      [
        { type: 'Struct', value: { id: 'A.01.B.C', fields: [{ name: 'n', value: { type: 'Int8', value: '1' } }] } },
        'A.01.B.C',
        'A.01.B.C(n: 1)',
      ],
      [{ type: 'String', value: 'pay\u202E001' }, 'String', '"pay⟨U+202E⟩001"'],
    ]
    for (const [argument, type, text] of shown) expect(readCadenceValue(argument)).to.deep.equal({ type, text })
  })

  it('are raw JSON if they are not JSON-CDC', () => {
    const odd: readonly unknown[] = [
      { type: 'UFix64', value: 1 },
      { type: 'UFix64', value: '1' },
      { type: 'Int', value: '1e9' },
      { type: 'Address', value: 'bob' },
      { type: 'Nothing', value: 'x' },
      { type: 'Bool', value: 'true' },
      { type: 'Array', value: [{ type: 'Int', value: 'x' }] },
      { type: 'Int', value: '1', more: 'shown' },
      'text',
      null,
      { type: 'toString', value: {} },
    ]
    for (const argument of odd)
      expect(readCadenceValue(argument)).to.deep.equal({ type: 'unknown', text: JSON.stringify(argument) })
    let deep: unknown = { type: 'Bool', value: true }
    for (let i = 0; i < 1000; i++) deep = { type: 'Optional', value: deep }
    expect(readCadenceValue(deep).type).to.equal('unknown')
  })

  it('never fail or hide a character', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('Array', 'Struct', 'Dictionary', 'Optional', 'Path', 'String'),
        (value, type) => {
          for (const argument of [value, { type, value }])
            expect(/[\p{Cc}\p{Cf}]/u.test(readCadenceValue(argument).text)).to.equal(false)
        },
      ),
    )
  })
})

describe('readable messages', () => {
  it('are text or bytes', () => {
    expect(readableMessage(utf8.encode('Sign in\r\nat 10:00 – été 🐦'))).to.deep.equal({
      kind: 'text',
      text: 'Sign in\nat 10:00 – été 🐦',
      isAltered: false,
    })
    for (const bytes of [Uint8Array.of(0xff, 0xfe), Uint8Array.of(1, 2, 3), new Uint8Array(), Uint8Array.of(32, 10)]) {
      expect(readableMessage(bytes)).to.deep.equal({ kind: 'bytes', hex: hexOf(bytes) })
    }
  })

  it('escape hidden characters', () => {
    const tricks = [
      '\u202E',
      '\u200B',
      '\u2066',
      '\uFEFF',
      '\u00AD',
      '\u2028',
      '\u{E0041}',
      '\u3164',
      '\uFE01',
      '\u007F',
      '\u0085',
      '\u{E0100}',
      '\u180B',
      '\u17B4',
      '\u{1D159}',
    ]
    for (const trick of tricks) {
      const code = (trick.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      expect(readableMessage(utf8.encode(`a${trick}b`)), code).to.deep.equal({
        kind: 'text',
        text: `a⟨U+${code}⟩b`,
        isAltered: true,
      })
    }
  })

  it('are distinct for distinct messages', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const shown = readableMessage(utf8.encode(text))
        if (shown.kind === 'text') expect(/[^\P{C}\n\t]/u.test(shown.text)).to.equal(false)
        if (shown.kind === 'text' && !shown.isAltered) expect(shown.text).to.equal(text.replaceAll('\r\n', '\n'))
      }),
    )
  })
})
