import { expect } from 'chai'
import fc from 'fast-check'
import { ApiError } from '../../../platform/errors.ts'
import { isStatus, toApiError, wordsOf } from './github-error.ts'

const failure = (status: number, headers: Record<string, string> = {}, data: unknown = { message: 'words' }): Error =>
  Object.assign(new Error('Bad - https://docs.github.com'), {
    name: 'HttpError',
    status,
    response: { headers, data },
    request: { headers: { authorization: 'token ghs_secret' } },
  })
const reported = (error: Error): ApiError => {
  const given = toApiError(error, 1_000_000)
  if (!(given instanceof ApiError)) throw new Error('no answer')
  return given
}

describe('GitHub errors', () => {
  it('map to responses with their status and without tokens', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.anything(), (status, data) => {
        const error = reported(failure(status, {}, data))
        expect(isStatus(error, status)).to.equal(true)
        expect(error.status).to.be.within(403, 503)
        expect(JSON.stringify([error.message, error.details])).not.to.include('ghs_secret')
        expect(error.cause).to.equal(undefined)
      }),
    )
  })

  it('include the retry time for rate limits', () => {
    const waits: [number, Record<string, string>, unknown, number][] = [
      [429, {}, {}, 60],
      [429, { 'retry-after': '5' }, {}, 5],
      [403, { 'retry-after': '1.2' }, {}, 2],
      [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1030' }, {}, 30],
      [403, { 'x-ratelimit-remaining': '0' }, {}, 60],
      [403, {}, { message: 'You have exceeded a secondary rate limit.' }, 60],
      [403, { 'retry-after': '999999' }, {}, 3600],
    ]
    for (const [status, headers, data, seconds] of waits) {
      const error = reported(failure(status, headers, data))
      expect([error.status, error.details['retryAfterSeconds']], JSON.stringify(headers)).to.deep.equal([429, seconds])
    }
    expect(reported(failure(403, { 'x-ratelimit-remaining': '12' })).status).to.equal(403)
  })

  it('quote GitHub messages, truncated and sanitized', () => {
    const words = wordsOf(
      reported(failure(422, {}, { message: 'No\u202e\n', errors: [{ message: 'x'.repeat(1000) }, 'two', 3, null] })),
    )
    expect(words).to.match(/^No : x+$/)
    expect(words.length).to.equal(300)
  })

  it('leave other errors unchanged', () => {
    const [own, mistake] = [new ApiError(409, 'x', 'y'), new TypeError('a mistake')]
    expect([
      toApiError(own),
      toApiError(mistake),
      toApiError(Object.assign(new Error('wrapped'), { cause: own })),
    ]).to.deep.equal([own, mistake, own])
  })
})
