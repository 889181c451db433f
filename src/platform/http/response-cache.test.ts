import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ResponseCache } from './response-cache.ts'
import type { CachedResponse } from './response-cache.ts'

function answer(text: string, isLasting = false, isSettled = false): CachedResponse {
  return { body: Buffer.from(text), headers: {}, tag: `"${text}"`, route: '/', isLasting, isSettled }
}

describe('response cache', () => {
  let now = 0
  const make = (options: { maxAgeMs?: number; maxBytes?: number } = {}): ResponseCache => {
    now = 0
    return new ResponseCache({ maxAgeMs: 1000, now: () => now, ...options })
  }

  it('returns a response until it is too old', () => {
    const kept = make()
    kept.begin('/a')(answer('a'))
    now = 999
    expect(kept.find('/a')?.body.toString()).to.equal('a')
    now = 1000
    expect(kept.find('/a')).to.equal(undefined)
  })

  it('returns long-lived responses for longer, until a commit', () => {
    const kept = make()
    kept.begin('/a')(answer('a', true))
    now = 9999
    expect(kept.find('/a')).to.not.equal(undefined)
    now = 10_000
    expect(kept.find('/a')).to.equal(undefined)
    kept.begin('/a')(answer('a', true))
    kept.dropCurrent()
    expect(kept.find('/a')).to.equal(undefined)
  })

  it('clears everything on a commit, including responses in progress', async () => {
    const kept = make()
    kept.begin('/a')(answer('a'))
    const end = kept.begin('/b')
    const waiting = kept.pending('/b')
    kept.dropCurrent()
    expect(kept.pending('/b'), 'who comes after the commit does not wait for earlier reads').to.equal(undefined)
    end(answer('b'))
    expect((await waiting)?.body.toString()).to.equal('b')
    expect([kept.find('/a'), kept.find('/b')]).to.deep.equal([undefined, undefined])
  })

  it('retains settled responses across commits, until rows below the head change', () => {
    const kept = make()
    const end = kept.begin('/b')
    kept.begin('/a')(answer('a', true, true))
    kept.dropCurrent()
    end(answer('b', true, true))
    expect([kept.find('/a'), kept.find('/b')].map((found) => found?.body.toString())).to.deep.equal(['a', 'b'])
    now = 10_000
    expect(kept.find('/a')).to.equal(undefined)
    kept.begin('/a')(answer('a', true, true))
    const late = kept.begin('/b')
    kept.clear()
    late(answer('b', true, true))
    expect([kept.find('/a'), kept.find('/b')]).to.deep.equal([undefined, undefined])
  })

  it('recomputes a response after an outage', () => {
    const kept = make()
    kept.begin('/a')(undefined, false)
    expect(kept.isUncacheable('/a')).to.equal(false)
  })

  it('shares a response in progress, and does not store an uncacheable one', async () => {
    const kept = make()
    const end = kept.begin('/a')
    const waiting = kept.pending('/a')
    end(undefined)
    expect(await waiting).to.equal(undefined)
    expect(kept.pending('/a')).to.equal(undefined)
    expect(kept.isUncacheable('/a')).to.equal(true)
  })

  it('stores nothing without commit notifications', () => {
    const kept = make()
    kept.begin('/a')(answer('a'))
    kept.suspend(true)
    expect([kept.isOn, kept.find('/a')]).to.deep.equal([false, undefined])
    kept.begin('/b')(answer('b'))
    kept.suspend(false)
    expect([kept.isOn, kept.find('/b')]).to.deep.equal([true, undefined])
  })

  it('evicts the oldest above the byte limit, and stores no large responses', () => {
    const kept = make({ maxBytes: 80_000 })
    for (let i = 0; i < 100; i++) kept.begin(`/${i}`)(answer('x'.repeat(500)))
    const left = Array.from({ length: 100 }, (_, i) => kept.find(`/${i}`)).filter((one) => one !== undefined)
    expect(left).to.have.length(39)
    expect(kept.find('/99')).to.not.equal(undefined)
    kept.begin('/large')(answer('x'.repeat(3000)))
    expect(kept.find('/large')).to.equal(undefined)
  })

  it('compresses a body once while it is cached', async () => {
    const kept = make()
    const long = answer('x'.repeat(2000))
    kept.begin('/a')(long)
    const first = await kept.findEncoded('/a', long, 'gzip')
    expect(gunzipSync(first)).to.deep.equal(long.body)
    expect(await kept.findEncoded('/a', long, 'gzip')).to.equal(first)
    expect(await kept.findEncoded('/a', long, 'br')).to.not.equal(first)
    kept.dropCurrent()
    expect(await kept.findEncoded('/a', long, 'gzip'), 'after a commit').to.not.equal(first)
    const other = answer('y'.repeat(2000))
    kept.begin('/a')(other)
    expect(gunzipSync(await kept.findEncoded('/a', other, 'gzip'))).to.deep.equal(other.body)
    expect(gunzipSync(await kept.findEncoded('/a', long, 'gzip')), 'for who found the one before').to.deep.equal(
      long.body,
    )
  })

  it('counts compressed bodies toward the byte limit', async () => {
    const kept = make({ maxBytes: 80_000 })
    // Does not shrink.
    const noise = (): CachedResponse => ({
      body: randomBytes(1500),
      headers: {},
      tag: '""',
      route: '/',
      isLasting: false,
      isSettled: false,
    })
    const answers = Array.from({ length: 15 }, noise)
    answers.forEach((one, i) => kept.begin(`/${i}`)(one))
    const left = (): number => answers.filter((_, i) => kept.find(`/${i}`) !== undefined).length
    expect(left()).to.equal(15)
    for (const [i, one] of answers.entries()) await kept.findEncoded(`/${i}`, one, 'gzip')
    expect(left()).to.be.within(9, 13)
    kept.dropCurrent()
    answers.forEach((one, i) => kept.begin(`/${i}`)(one))
    expect(left(), 'what was forgotten takes no room').to.equal(15)
  })

  it('is disabled at an age of 0', () => {
    expect(make({ maxAgeMs: 0 }).isOn).to.equal(false)
  })
})
