import { expect } from 'chai'
import { ShortCache } from './present-chain.ts'

describe('ShortCache', () => {
  let now = 0
  let asked: string[] = []

  beforeEach(() => {
    now = 0
    asked = []
  })

  function cache(maxBytes = 1_000_000): ShortCache {
    return new ShortCache({ keepMs: 100, keepFailureMs: 10, maxBytes, now: () => now })
  }

  function ask(of: ShortCache, key: string, answer: () => Promise<string> = async () => key): Promise<string> {
    return of.get(
      key,
      () => {
        asked.push(key)
        return answer()
      },
      (text) => text.length,
    )
  }

  it('asks once for all who want to know at the same time, and each question by itself', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const kept = cache()
    const answers = [ask(kept, 'a', () => promise), ask(kept, 'a'), ask(kept, 'b')]
    expect(kept.underWay).to.equal(2)
    resolve('one')
    expect(await Promise.all(answers)).to.deep.equal(['one', 'one', 'b'])
    expect(asked).to.deep.equal(['a', 'b'])
    expect(kept.underWay).to.equal(0)
  })

  it('keeps an answer for its time and no longer', async () => {
    const kept = cache()
    await ask(kept, 'a')
    now = 99
    await ask(kept, 'a')
    expect(asked).to.deep.equal(['a'])
    now = 100
    await ask(kept, 'a')
    expect(asked).to.deep.equal(['a', 'a'])
  })

  it('keeps a failure for a shorter time, and gives it to all who waited for it', async () => {
    const kept = cache()
    const fail = (): Promise<string> => Promise.reject(new Error('away'))
    const both = await Promise.allSettled([ask(kept, 'a', fail), ask(kept, 'a', fail)])
    expect(both.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    now = 9
    expect(await ask(kept, 'a').catch(String)).to.equal('Error: away')
    now = 10
    expect(await ask(kept, 'a')).to.equal('a')
    expect(asked).to.deep.equal(['a', 'a'])
  })

  it('holds no more than it may: the oldest go first, and what is over', async () => {
    const kept = cache(1600)
    for (const key of ['a', 'b', 'c']) await ask(kept, key, async () => 'x'.repeat(20))
    expect(kept.bytes).to.equal(1560)
    await ask(kept, 'd', async () => 'x'.repeat(100))
    expect(kept.bytes).to.equal(1120)
    asked = []
    await ask(kept, 'd')
    await ask(kept, 'a')
    expect(asked).to.deep.equal(['a'])
    now = 1000
    await ask(kept, 'e')
    expect(kept.bytes).to.equal(501)
  })
})
