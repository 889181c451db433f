import { expect } from 'chai'
import { pino } from 'pino'
import { Lifecycle } from './service.ts'

const log = pino({ level: 'silent' })

describe('lifecycle', () => {
  it('stops the parts in reverse order, once, and aborts the signal first', async () => {
    const lifecycle = new Lifecycle(log)
    const order: string[] = []
    lifecycle.signal.addEventListener('abort', () => order.push('signal'))
    lifecycle.onStop('first', () => void order.push('first'))
    lifecycle.onStop('second', () => void order.push('second'))
    await Promise.all([lifecycle.stop('a'), lifecycle.stop('b')])
    expect(order).to.deep.equal(['signal', 'second', 'first'])
    expect(lifecycle.failure).to.equal(undefined)
  })

  it('goes on when a part fails or does not end', async () => {
    const lifecycle = new Lifecycle(log, { stepTimeoutMs: 20 })
    const order: string[] = []
    lifecycle.onStop('last to stop', () => void order.push('stopped'))
    lifecycle.onStop('hangs', () => new Promise<void>(() => undefined))
    lifecycle.onStop('fails', () => Promise.reject(new Error('no')))
    await lifecycle.stop('test')
    expect(order).to.deep.equal(['stopped'])
  })

  it('stops what a part started while it was told to stop, before what that leans on', async () => {
    const lifecycle = new Lifecycle(log)
    const order: string[] = []
    lifecycle.onStop('pool', () => void order.push('pool'))
    lifecycle.onStop('starting', async () => {
      await new Promise(setImmediate)
      lifecycle.onStop('started', () => void order.push('started'))
    })
    await lifecycle.stop('test')
    expect(order).to.deep.equal(['started', 'pool'])
  })

  it('keeps reserved time from the steps that run before', async () => {
    const lifecycle = new Lifecycle(log, { totalTimeoutMs: 200 })
    const times: number[] = []
    lifecycle.onStop('last', (timeoutMs) => void times.push(timeoutMs), { reservedMs: 150 })
    for (let step = 0; step < 20; step++) {
      lifecycle.onStop('hangs', (timeoutMs) => {
        times.push(timeoutMs)
        return new Promise<void>(() => undefined)
      })
    }
    await lifecycle.stop('test')
    const reserved = times.pop() ?? 0
    expect(reserved).to.equal(150)
    expect(times).to.have.length(20)
    // All of them may take what is not reserved, and half a second more; a timer may fire late.
    expect(times.reduce((sum, ms) => sum + ms, 0)).to.be.at.most(200 - 150 + 500 + 50)
  })

  it('keeps the first error as the reason', async () => {
    const lifecycle = new Lifecycle(log)
    await Promise.all([lifecycle.fail(new Error('one')), lifecycle.fail('two')])
    expect(lifecycle.failure?.message).to.equal('one')
  })
})
