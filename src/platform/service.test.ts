import { expect } from 'chai'
import { pino } from 'pino'
import { Lifecycle } from './service.ts'

const log = pino({ level: 'silent' })

describe('lifecycle', () => {
  it('aborts the signal, then stops the parts once in reverse order', async () => {
    const lifecycle = new Lifecycle(log)
    const order: string[] = []
    lifecycle.signal.addEventListener('abort', () => order.push('signal'))
    lifecycle.onStop('first', () => void order.push('first'))
    lifecycle.onStop('second', () => void order.push('second'))
    await Promise.all([lifecycle.stop('a'), lifecycle.stop('b')])
    expect(order).to.deep.equal(['signal', 'second', 'first'])
    expect(lifecycle.failure).to.equal(undefined)
  })

  it('continues if a part fails or does not stop', async () => {
    const lifecycle = new Lifecycle(log, { stepTimeoutMs: 20 })
    const order: string[] = []
    lifecycle.onStop('last to stop', () => void order.push('stopped'))
    lifecycle.onStop('hangs', () => new Promise<void>(() => undefined))
    lifecycle.onStop('fails', () => Promise.reject(new Error('no')))
    await lifecycle.stop('test')
    expect(order).to.deep.equal(['stopped'])
  })

  it('stops a part started during shutdown, before its dependencies', async () => {
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

  it('reserves time for later steps', async () => {
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
    // The steps may take all unreserved time and half a second more, as timers may fire late.
    expect(times.reduce((sum, ms) => sum + ms, 0)).to.be.at.most(200 - 150 + 500 + 50)
  })

  it('uses the first error as the reason', async () => {
    const lifecycle = new Lifecycle(log)
    await Promise.all([lifecycle.fail(new Error('one')), lifecycle.fail('two')])
    expect(lifecycle.failure?.message).to.equal('one')
  })
})
