import { expect } from 'chai'
import { ApiError } from '../../platform/errors.ts'
import { AnswerLimits } from './answer-limits.ts'

const far = (address: string): { address: string; isLocal: boolean } => ({ address, isLocal: false })
const here = { address: '127.0.0.1', isLocal: true }

async function refusal(act: () => Promise<unknown>): Promise<[number, string, unknown] | undefined> {
  try {
    await act()
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.code, error.details['retryAfterSeconds']]
    throw error
  }
  return undefined
}

describe('answer limits', () => {
  it('limits concurrent answers for all clients together', async () => {
    const limits = new AnswerLimits({ max: 2, maxPerClient: 2, perMinute: 100 })
    const first = await limits.enter(far('203.0.113.1'))
    await limits.enter(here)
    expect(await refusal(() => limits.enter(far('203.0.113.2')))).to.deep.equal([503, 'chat-busy', 5])
    expect(await refusal(() => limits.enter(here))).to.deep.equal([503, 'chat-busy', 5])
    first.leave()
    first.leave()
    expect(limits.running).to.equal(1)
    await limits.enter(far('203.0.113.2'))
  })

  it('limits concurrent answers per client and treats an IPv6 network as one client', async () => {
    const limits = new AnswerLimits({ max: 100, maxPerClient: 1, perMinute: 100 })
    const place = await limits.enter(far('2001:db8::1'))
    expect(await refusal(() => limits.enter(far('2001:db8::2')))).to.deep.equal([429, 'too-many-answers', 5])
    await limits.enter(far('2001:db8:0:1::1'))
    place.leave()
    expect(await refusal(() => limits.enter(far('2001:db8::2')))).to.equal(undefined)
  })

  it('limits counted answers per client and minute', async () => {
    let now = 0
    const limits = new AnswerLimits({ max: 100, maxPerClient: 100, perMinute: 2, clock: () => now })
    const ask = (): ReturnType<typeof refusal> => refusal(async () => (await limits.enter(far('203.0.113.1'))).count())
    await limits.enter(far('203.0.113.1'))
    expect([await ask(), await ask(), await ask()]).to.deep.equal([undefined, undefined, [429, 'rate-limited', 60]])
    now = 60_001
    expect(await ask()).to.equal(undefined)
  })

  it('exempts local programs from the per-client limits', async () => {
    const limits = new AnswerLimits({ max: 10, maxPerClient: 1, perMinute: 1 })
    for (let i = 0; i < 10; i++) (await limits.enter(here)).count()
    expect(limits.running).to.equal(10)
  })
})
