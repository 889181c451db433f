import { expect } from 'chai'
import { BodyMemoryLimit } from './projects-function.ts'
import { ApiError } from '../../platform/errors.ts'

describe('body memory limit', () => {
  const room = new BodyMemoryLimit(1_000_000)
  const held: (() => void)[] = []
  afterEach(() => {
    for (const end of held.splice(0)) end()
  })

  /** Reserves `bytes` in pieces and holds them. @returns the error */
  const hold = async (who: string, bytes: number, pieces = 4): Promise<unknown> => {
    const { promise: taken, resolve } = Promise.withResolvers<unknown>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    room
      .during(who, async (take) => {
        for (let piece = 0; piece < pieces; piece++) take(bytes / pieces)
        held.push(release)
        resolve(undefined)
        await released
      })
      .catch(resolve)
    return taken
  }
  const isBusy = (thrown: unknown): boolean =>
    thrown instanceof ApiError && thrown.status === 503 && thrown.code === 'busy'

  it('admits any number of small bodies, and two large ones per account', async () => {
    for (let i = 0; i < 20; i++) expect(await hold('small', 256_000)).to.equal(undefined)
    expect(await hold('one', 300_000)).to.equal(undefined)
    expect(await hold('one', 300_000)).to.equal(undefined)
    expect(await hold('one', 300_000)).to.satisfy(isBusy)
    expect(await hold('one', 1000)).to.equal(undefined)
    expect(await hold('other', 400_000)).to.equal(undefined)
    expect(await hold('third', 300_000)).to.satisfy(isBusy)
    expect(await hold('third', 256_000)).to.equal(undefined)
  })

  it('releases memory, also of rejected bodies', async () => {
    for (let round = 0; round < 5; round++) {
      expect(await hold('one', 999_999, 3)).to.equal(undefined)
      expect(await hold('other', 999_999, 3)).to.satisfy(isBusy)
      held.pop()?.()
      // The first body is released in the next event loop turn.
      await new Promise(setImmediate)
    }
  })
})
