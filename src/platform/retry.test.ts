import { expect } from 'chai'
import fc from 'fast-check'
import { FatalError, RetryableError } from './errors.ts'
import { backoffMs, pause, retryWhile } from './retry.ts'

const passing = new RetryableError('passing', 'try again')

describe('retryWhile', () => {
  const quick = { baseMs: 0, maxMs: 0 }

  it('retries until it succeeds, and reports each failure', async () => {
    const reported: unknown[] = []
    const result = await retryWhile((attempt) => (attempt < 4 ? Promise.reject(passing) : Promise.resolve(attempt)), {
      ...quick,
      onRetry: (error, attempt) => reported.push([error, attempt]),
    })
    expect(result).to.equal(4)
    expect(reported).to.deep.equal([
      [passing, 1],
      [passing, 2],
      [passing, 3],
    ])
  })

  it('rethrows a permanent error unchanged', async () => {
    const fatal = new FatalError('fatal', 'no')
    let tries = 0
    const failure = await retryWhile(() => (tries++, Promise.reject(fatal)), quick).catch((error: unknown) => error)
    expect(failure).to.equal(fatal)
    expect(tries).to.equal(1)
  })

  it('lets its caller decide which errors are temporary', async () => {
    const plain = new Error('plain')
    const result = await retryWhile((attempt) => (attempt === 1 ? Promise.reject(plain) : Promise.resolve('ok')), {
      ...quick,
      isRetryable: (error) => error === plain,
    })
    expect(result).to.equal('ok')
  })

  it('ends a pause on abort, with the reason', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const failure = await retryWhile(() => Promise.reject(passing), {
      baseMs: 1e9,
      maxMs: 1e9,
      signal: controller.signal,
      onRetry: () => controller.abort(reason),
    }).catch((error: unknown) => error)
    expect(failure).to.equal(reason)
  })

  it('does not start if already aborted', async () => {
    const reason = new Error('before')
    const failure = await retryWhile(() => Promise.resolve(1), { signal: AbortSignal.abort(reason) }).catch(
      (error: unknown) => error,
    )
    expect(failure).to.equal(reason)
    expect(await pause(1e9, AbortSignal.abort(reason)).catch((error: unknown) => error)).to.equal(reason)
  })
})

describe('backoffMs', () => {
  it('doubles up to its cap and stays above half of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 1e5 }),
        (attempt, base, max) => {
          const bound = Math.min(max, base * 2 ** (attempt - 1))
          const ms = backoffMs(attempt, base, max)
          expect(ms).to.be.within(bound / 2, bound)
        },
      ),
    )
  })
})
