import { expect } from 'chai'
import { LimitPerAddress } from './admission.ts'

describe('the limit of what an address has under way', () => {
  it('has the others of that address wait in their order, and those of other addresses not at all', async () => {
    const limit = new LimitPerAddress(2)
    const began: string[] = []
    const ends = new Map<string, () => void>()
    const start = (address: string, name: string): Promise<void> =>
      limit.run(address, async () => {
        began.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
      })
    const works = [
      start('203.0.113.7', 'a'),
      start('203.0.113.7', 'b'),
      start('203.0.113.7', 'c'),
      start('203.0.113.7', 'd'),
      start('203.0.113.8', 'e'),
    ]
    expect(began).to.deep.equal(['a', 'b', 'e'])
    ends.get('b')?.()
    await works[1]
    expect(began).to.deep.equal(['a', 'b', 'e', 'c'])
    for (const name of ['a', 'c', 'e']) ends.get(name)?.()
    await Promise.all([works[0], works[2], works[4]])
    expect(began).to.deep.equal(['a', 'b', 'e', 'c', 'd'])
    ends.get('d')?.()
    await works[3]
  })

  it('gives the turn on also when the work fails', async () => {
    const limit = new LimitPerAddress(1)
    const failing = limit.run('2001:db8::1', () => Promise.reject(new Error('no')))
    const next = limit.run('2001:db8::2', () => Promise.resolve('done'))
    expect(await failing.catch((error: unknown) => error)).to.be.an('error')
    expect(await next).to.equal('done')
  })
})
