import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { ApiError } from '../base/errors.ts'
import {
  cursorParameter, flagParameter, heightParameter, limitParameter, noParameters, parseParameters,
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
  it('fills in defaults and ignores what is not declared', () => {
    expect(parse('offset=4&x=y')).to.deep.equal({ limit: 20, flag: false })
  })

  it('reads numbers and flags', () => {
    expect(parse('limit=100&height=0&flag=1&cursor=')).to.deep.equal({ limit: 100, height: 0, flag: true, cursor: '' })
    expect(parse('flag=false')).to.deep.equal({ limit: 20, flag: false })
  })

  for (const text of ['0', '101', '-1', '1.5', '1e2', '0x10', ' 5', '', 'abc', '99999999999999999999', '٣']) {
    it(`refuses a limit of "${text}" and names the field`, () => {
      const error = refused(`limit=${encodeURIComponent(text)}`)
      expect(error).to.include({ status: 400, code: 'invalid-parameter', field: 'limit' })
      expect(error.message).to.equal('Parameter "limit" must be a whole number from 1 to 100.')
    })
  }

  it('refuses a parameter that comes twice', () => {
    expect(refused('limit=5&limit=6').message).to.equal('Parameter "limit" is given more than once.')
  })

  it('gives a value in range or an ApiError for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      const query = new URLSearchParams({ limit: text })
      try {
        const { limit } = parseParameters(schemas, {}, query).query
        expect(limit).to.be.within(1, 100)
      } catch (error) {
        expect(error).to.be.instanceOf(ApiError)
      }
    }))
  })
})
