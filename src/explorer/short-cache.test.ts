import { expect } from 'chai'
import { ShortCache } from './present-chain.ts'

describe('ShortCache', () => {
  let now = 0
  let requested: string[] = []

  beforeEach(() => {
    now = 0
    requested = []
  })

  function createCache(maxBytes = 1_000_000): ShortCache {
    return new ShortCache({ maxAgeMs: 100, maxFailureAgeMs: 10, maxBytes, now: () => now })
  }

  function ask(of: ShortCache, key: string, answer: () => Promise<string> = async () => key): Promise<string> {
    return of.get(
      key,
      () => {
        requested.push(key)
        return answer()
      },
      (text) => text.length,
    )
  }

  it('shares one call between concurrent requests for the same key', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const cache = createCache()
    const answers = [ask(cache, 'a', () => promise), ask(cache, 'a'), ask(cache, 'b')]
    expect(cache.inFlight).to.equal(2)
    resolve('one')
    expect(await Promise.all(answers)).to.deep.equal(['one', 'one', 'b'])
    expect(requested).to.deep.equal(['a', 'b'])
    expect(cache.inFlight).to.equal(0)
  })

  it('expires results', async () => {
    const cache = createCache()
    await ask(cache, 'a')
    now = 99
    await ask(cache, 'a')
    expect(requested).to.deep.equal(['a'])
    now = 100
    await ask(cache, 'a')
    expect(requested).to.deep.equal(['a', 'a'])
  })

  it('caches failures for a shorter time and rejects every waiting request', async () => {
    const cache = createCache()
    const fail = (): Promise<string> => Promise.reject(new Error('away'))
    const both = await Promise.allSettled([ask(cache, 'a', fail), ask(cache, 'a', fail)])
    expect(both.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    now = 9
    expect(await ask(cache, 'a').catch(String)).to.equal('Error: away')
    now = 10
    expect(await ask(cache, 'a')).to.equal('a')
    expect(requested).to.deep.equal(['a', 'a'])
  })

  it('evicts the oldest and expired entries above its size limit', async () => {
    const cache = createCache(1600)
    for (const key of ['a', 'b', 'c']) await ask(cache, key, async () => 'x'.repeat(20))
    expect(cache.bytes).to.equal(1560)
    await ask(cache, 'd', async () => 'x'.repeat(100))
    expect(cache.bytes).to.equal(1120)
    requested = []
    await ask(cache, 'd')
    await ask(cache, 'a')
    expect(requested).to.deep.equal(['a'])
    now = 1000
    await ask(cache, 'e')
    expect(cache.bytes).to.equal(501)
  })
})
