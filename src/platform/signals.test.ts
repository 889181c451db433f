import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { linkSignals } from './signals.ts'

describe('linked signals', () => {
  it('abort with the first of their sources, with its reason', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    const { signal } = linkSignals([a.signal, b.signal])
    expect(signal.aborted).to.equal(false)
    b.abort('b')
    a.abort('a')
    expect(signal.reason).to.equal('b')
  })

  it('start aborted if a source is aborted', () => {
    expect(linkSignals([new AbortController().signal, AbortSignal.abort('gone')]).signal.reason).to.equal('gone')
  })

  it('leave no listeners behind', () => {
    const source = new AbortController()
    const { signal, unlink } = linkSignals([source.signal])
    unlink()
    source.abort()
    expect(signal.aborted).to.equal(false)
    expect(getEventListeners(source.signal, 'abort')).to.deep.equal([])
  })
})
