import { expect } from 'chai'
import { describeError, loggedPath, shortenError } from './log.ts'
import { RetryableError } from './errors.ts'

describe('a logged path', () => {
  it('has no tokens of links', () => {
    const [chat, dashboard] = ['gk2mI5nqRyqX0sFvZJ0r1A', '0123456789abcdef0123456789abcdef']
    for (const [path, logged] of [
      [`/share/${chat}`, '/share/***'],
      [`/api/chat/shares/${chat}/revoke`, '/api/chat/shares/***/revoke'],
      [`/d/${dashboard}`, '/d/***'],
      [`/api/v1/public/dashboards/${dashboard}/tiles/0123`, '/api/v1/public/dashboards/***/tiles/0123'],
      ['/api/chat/shares', '/api/chat/shares'],
      ['/flow/block/12', '/flow/block/12'],
    ] as const)
      expect(loggedPath(path)).to.equal(logged)
  })
})

describe('error description', () => {
  it('contains the error and its causes, without properties added by libraries', () => {
    const low = Object.assign(new Error('broken pipe'), { code: 'EPIPE', client: { password: 'hunter2' } })
    const error = new RetryableError('database-unreachable', 'no answer', { cause: low, details: { attempt: 3 } })
    const { stack, cause, ...rest } = describeError(error)
    expect(rest).to.deep.equal({
      type: 'RetryableError',
      message: 'no answer',
      code: 'database-unreachable',
      details: { attempt: 3 },
    })
    expect(stack).to.include('log.test.ts')
    expect(cause).to.include({ type: 'Error', message: 'broken pipe', code: 'EPIPE' })
    expect(cause).to.have.all.keys('type', 'message', 'code', 'stack')
    expect(describeError(new AggregateError([low], 'all failed')).errors?.[0]?.message).to.equal('broken pipe')
    expect(describeError('thrown text').message).to.equal('thrown text')
  })

  it('is short in human-readable output for a known error', () => {
    const busy = new RetryableError('node-busy', 'the node is busy')
    expect(shortenError({ attempt: 1, err: busy })).to.deep.equal({
      attempt: 1,
      reason: 'the node is busy (node-busy)',
    })
    const unknown = { err: new TypeError('x is undefined') }
    expect(shortenError(unknown)).to.equal(unknown)
  })
})
