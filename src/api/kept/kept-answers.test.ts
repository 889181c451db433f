import { expect } from 'chai'
import { KeptAnswers } from './kept-answers.ts'
import type { KeptAnswer } from './kept-answers.ts'

function answer(text: string): KeptAnswer {
  return { body: Buffer.from(text), headers: {}, tag: `"${text}"`, route: '/' }
}

describe('kept answers', () => {
  let now = 0
  const make = (options: { maxAgeMs?: number; maxBytes?: number } = {}): KeptAnswers => {
    now = 0
    return new KeptAnswers({ maxAgeMs: 1000, now: () => now, ...options })
  }

  it('gives an answer again until it is too old', () => {
    const kept = make()
    kept.begin('/a')(answer('a'))
    now = 999
    expect(kept.find('/a')?.body.toString()).to.equal('a')
    now = 1000
    expect(kept.find('/a')).to.equal(undefined)
  })

  it('forgets all at a commit, also what was being made when it came', async () => {
    const kept = make()
    kept.begin('/a')(answer('a'))
    const end = kept.begin('/b')
    const waiting = kept.pending('/b')
    kept.forget()
    expect(kept.pending('/b'), 'who comes after the commit does not wait for what was read before').to.equal(undefined)
    end(answer('b'))
    expect((await waiting)?.body.toString()).to.equal('b')
    expect([kept.find('/a'), kept.find('/b')]).to.deep.equal([undefined, undefined])
  })

  it('lets others wait for what is being made, and remembers what is not for keeping', async () => {
    const kept = make()
    const end = kept.begin('/a')
    const waiting = kept.pending('/a')
    end(undefined)
    expect(await waiting).to.equal(undefined)
    expect(kept.pending('/a')).to.equal(undefined)
    expect(kept.isUnfit('/a')).to.equal(true)
  })

  it('keeps nothing while commits are not heard of', () => {
    const kept = make()
    kept.begin('/a')(answer('a'))
    kept.setDeaf(true)
    expect([kept.isOn, kept.find('/a')]).to.deep.equal([false, undefined])
    kept.begin('/b')(answer('b'))
    kept.setDeaf(false)
    expect([kept.isOn, kept.find('/b')]).to.deep.equal([true, undefined])
  })

  it('drops the oldest when there are too many bytes, and keeps none that is large', () => {
    const kept = make({ maxBytes: 40_000 })
    for (let i = 0; i < 100; i++) kept.begin(`/${i}`)(answer('x'.repeat(500)))
    const left = Array.from({ length: 100 }, (_, i) => kept.find(`/${i}`)).filter((one) => one !== undefined)
    expect(left).to.have.length(39)
    expect(kept.find('/99')).to.not.equal(undefined)
    kept.begin('/large')(answer('x'.repeat(3000)))
    expect(kept.find('/large')).to.equal(undefined)
  })

  it('is off at an age of 0', () => {
    expect(make({ maxAgeMs: 0 }).isOn).to.equal(false)
  })
})
