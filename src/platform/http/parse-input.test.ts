import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { parseBody, parseQuery } from './parse-input.ts'

const schema = z.strictObject({
  text: z.string().min(1).max(3).optional(),
  count: z.number().min(1).max(5).optional(),
  whole: z.int().optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  is: z.boolean().optional(),
  inner: z.object({ name: z.string() }).optional(),
  own: z.string('has to be a word of its own').max(2, 'has to be short').optional(),
  kind: z.enum(['a', 'b']).optional(),
})

function problemOf(body: unknown): string {
  try {
    parseBody(schema, body)
    return ''
  } catch (error) {
    expect(error).to.be.instanceOf(ApiError)
    return error instanceof ApiError ? error.message : ''
  }
}

describe('request body validation', () => {
  for (const [body, sentence] of [
    [{ text: 5 }, 'Field "text" must be a string.'],
    [{ text: '' }, 'Field "text" must have at least 1 character.'],
    [{ text: 'long' }, 'Field "text" must have at most 3 characters.'],
    [{ count: '1' }, 'Field "count" must be a number.'],
    [{ count: 0 }, 'Field "count" must be at least 1.'],
    [{ count: 6 }, 'Field "count" must be at most 5.'],
    [{ whole: 1.5 }, 'Field "whole" must be an integer.'],
    [{ list: {} }, 'Field "list" must be a list.'],
    [{ list: [] }, 'Field "list" must have at least 1 item.'],
    [{ list: ['', '', ''] }, 'Field "list" must have at most 2 items.'],
    [{ list: [1] }, 'Field "list[0]" must be a string.'],
    [{ is: 'true' }, 'Field "is" must be true or false.'],
    [{ inner: null }, 'Field "inner" must be an object.'],
    [{ inner: {} }, 'Field "inner.name" is missing: it must be a string.'],
    [{ own: 1 }, 'Field "own" has to be a word of its own.'],
    [{ own: 'abc' }, 'Field "own" has to be short.'],
    [[], 'The body must be an object.'],
    [undefined, 'The body is missing: it must be an object.'],
  ] as const) {
    it(`reports errors in ${JSON.stringify(body) ?? 'nothing'}`, () => expect(problemOf(body)).to.equal(sentence))
  }

  it('returns a flowfarm message for any input', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('text', 'count', 'whole', 'list', 'is', 'inner', 'own'), fc.jsonValue()),
        (body) => {
          expect(problemOf(body)).to.not.match(/Invalid|Too (big|small)|expected|received/)
        },
      ),
    )
  })

  it('reports a query parameter in the same form', () => {
    expect(() => parseQuery(z.object({ from: z.string() }), new URLSearchParams())).to.throw(
      ApiError,
      'Parameter "from" is missing: it must be a string.',
    )
  })
})
