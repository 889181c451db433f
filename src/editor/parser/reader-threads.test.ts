import { expect } from 'chai'
import { ReaderThreads } from './reader-threads.ts'
import { UnreadableSource } from '../../flow/cadence/parser-thread.ts'

describe('parser threads of the editor', () => {
  const question = (code: string) => ({ kind: 'check', uri: 'file:///a.cdc', code, imports: [], offset: 0 }) as const
  const readers: ReaderThreads[] = []

  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close()
  })

  it('abort a source over the CPU limit, and parse the next one', async () => {
    const reader = new ReaderThreads({ cpuLimitMs: 200 })
    readers.push(reader)
    const long = question('access(all) fun main() {}\n'.repeat(15_000))
    const error = await reader.ask(long).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error)
      .to.be.instanceOf(UnreadableSource)
      .with.property('message', 'parsing takes longer than 0.2 s; simplify the source')
    expect(await reader.ask(question('access(all) fun main() {}'))).to.deep.equal([])
    // The source is known to time out, and is not parsed again.
    expect(
      await reader.ask(long).then(
        () => undefined,
        (reason: unknown) => reason,
      ),
    ).to.equal(error)
  })
})
