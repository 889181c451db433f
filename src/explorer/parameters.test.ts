import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { ApiError } from '../platform/errors.ts'
import { parseParameters } from '../platform/http/parse-input.ts'
import { noParameters } from '../platform/http/route.ts'
import {
  accountParameter,
  contractParameter,
  cursorParameter,
  evmAddressParameter,
  flagParameter,
  heightParameter,
  limitParameter,
} from './parameters.ts'

const schemas = {
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(/^\d*$/, '<height>'),
    height: heightParameter().optional(),
    flag: flagParameter('A flag.'),
  }),
}

function parse(query: string): unknown {
  return parseParameters(schemas, {}, new URLSearchParams(query)).query
}

function refused(query: string): ApiError {
  try {
    parse(query)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`${query} was accepted`)
}

describe('parseParameters', () => {
  it('applies defaults and ignores undeclared parameters', () => {
    expect(parse('offset=0&x=y')).to.deep.equal({ limit: 20, flag: false })
  })

  it('reads numbers and flags', () => {
    expect(parse('limit=100&height=0&flag=1&cursor=')).to.deep.equal({ limit: 100, height: 0, flag: true, cursor: '' })
    expect(parse('flag=false')).to.deep.equal({ limit: 20, flag: false })
  })

  for (const text of ['0', '101', '-1', '1.5', '1e2', '0x10', ' 5', '', 'abc', '99999999999999999999', '٣']) {
    it(`rejects a limit of "${text}" and names the field`, () => {
      const error = refused(`limit=${encodeURIComponent(text)}`)
      expect(error).to.include({ status: 400, code: 'invalid-parameter', field: 'limit' })
      expect(error.message).to.equal('Parameter "limit" must be a whole number from 1 to 100.')
    })
  }

  it('rejects duplicate parameters', () => {
    expect(refused('limit=5&limit=6').message).to.equal('Parameter "limit" is repeated.')
  })

  it('rejects an offset on cursor-paged lists', () => {
    expect(refused('offset=20').message).to.equal(
      'Parameter "offset" is not supported: use the `cursor` of the previous page.',
    )
  })

  const written = z.object({
    account: accountParameter().optional(),
    evm: evmAddressParameter().optional(),
    token: contractParameter().optional(),
  })
  const forms: readonly [name: keyof typeof written.shape, text: string, expected: string][] = [
    ['account', '0xF8D6E0586B0A20C7', '0xf8d6e0586b0a20c7'],
    ['account', '1', '0x0000000000000001'],
    ['evm', 'AB'.repeat(20), `0x${'ab'.repeat(20)}`],
    ['evm', `0X${'0b'.repeat(20)}`, `0x${'0b'.repeat(20)}`],
    ['token', 'A.1654653399040a61.FlowToken', 'A.1654653399040a61.FlowToken'],
    ['token', 'A.1654653399040A61.FlowToken.Vault', 'A.1654653399040a61.FlowToken'],
    ['token', '0x1.Kitty', 'A.0000000000000001.Kitty'],
    ['token', 'A.0x1.Kitty.Rare', 'A.0000000000000001.Kitty.Rare'],
  ]
  for (const [name, text, expected] of forms) {
    it(`reads ${name} "${text}"`, () => {
      const { query } = parseParameters(
        { params: noParameters, query: written },
        {},
        new URLSearchParams({ [name]: text }),
      )
      expect(query[name]).to.equal(expected)
    })
  }

  for (const [name, text] of [
    ['account', '0x'],
    ['account', 'xyz'],
    ['evm', '0x12'],
    ['token', 'FlowToken'],
    ['token', "A.1.x'"],
  ] as const) {
    it(`rejects ${name} "${text}"`, () => {
      const parseIt = (): unknown =>
        parseParameters({ params: noParameters, query: written }, {}, new URLSearchParams({ [name]: text }))
      expect(parseIt).to.throw(ApiError, `Parameter "${name}" must be`)
    })
  }

  it('returns a value in range or an ApiError for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const query = new URLSearchParams({ limit: text })
        try {
          const { limit } = parseParameters(schemas, {}, query).query
          expect(limit).to.be.within(1, 100)
        } catch (error) {
          expect(error).to.be.instanceOf(ApiError)
        }
      }),
    )
  })
})
