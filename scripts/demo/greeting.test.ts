import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import { waitForPages } from './greeting.ts'

/** A build whose progress is set by the test. */
function startBuild() {
  const events = new EventEmitter()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  promise.catch(() => undefined)
  const build = {
    progress: { built: 0, total: 0, seconds: 0, failure: undefined as string | undefined },
    folder: () => promise,
    changed: async () => {
      await once(events, 'change')
    },
  }
  const report = async (change: Partial<typeof build.progress>): Promise<void> => {
    Object.assign(build.progress, change)
    events.emit('change')
    await new Promise((done) => setImmediate(done))
  }
  return { build, report, resolve, reject }
}

describe('waiting for the pages of the demo', () => {
  it('ends when they are built, and reports each step once', async () => {
    const { build, report, resolve } = startBuild()
    const lines: string[] = []
    const waiting = waitForPages(build, (line) => lines.push(line))
    await report({})
    await report({ built: 1, total: 6, seconds: 9 })
    await report({})
    expect(lines).to.deep.equal(['Building pages…\n', 'Building pages: 1 of 6 (9 s)…\n'])
    resolve('folder')
    expect(await waiting).to.equal(undefined)
  })

  it('reports nothing where they were built before', async () => {
    const { build, resolve } = startBuild()
    resolve('folder')
    const lines: string[] = []
    expect(await waitForPages(build, (line) => lines.push(line))).to.equal(undefined)
    expect(lines).to.deep.equal([])
  })

  it('ends at the first failure with its reason, and when the program stops', async () => {
    const failing = startBuild()
    const waiting = waitForPages(failing.build, () => undefined)
    await failing.report({ failure: 'no space' })
    expect(await waiting).to.equal('no space')
    const stopping = startBuild()
    const other = waitForPages(stopping.build, () => undefined)
    stopping.reject(new Error('stopped'))
    expect(await other).to.equal(undefined)
  })
})
