import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { pino } from 'pino'
import { Metrics } from '../../../src/platform/metrics.ts'
import { CrashBudget, Quarantine } from '../../../src/editor/language-server/crash-budget.ts'
import { LanguageServer } from '../../../src/editor/language-server/language-server.ts'
import type { Member } from '../../../src/editor/language-server/language-server.ts'
import { defaultLspLimits, LspMetrics } from '../../../src/editor/language-server/lsp-limits.ts'
import { ServerRun } from '../../../src/editor/language-server/server-run.ts'
import { untilWritable } from '../../../src/editor/lsp/session-documents.ts'
import { manualClock } from './support/manual-clock.ts'
import { fakeServerProgram } from './support/lsp-world.ts'

const limits = { ...defaultLspLimits, settleMs: 20 }
const environment = { PATH: process.env['PATH'] ?? '' }

describe('documents tried alone', () => {
  it('let all others write between two of them, regardless of the queue length', async () => {
    const run = new ServerRun({
      program: fakeServerProgram,
      environment,
      limits,
      folder: tmpdir(),
      isRepeated: false,
      onNotification: () => undefined,
      onLost: () => undefined,
    })
    try {
      await run.initialize({})
      const budget = new CrashBudget(limits, manualClock())
      const written: string[] = []
      const give = (name: string): void => {
        written.push(name)
        run.give(
          'textDocument/didOpen',
          { textDocument: { uri: `file:///${name}.cdc`, version: 1, text: name } },
          new Quarantine(budget, 'c'),
        )
      }
      const alone = (name: string): Promise<void> => run.alone(new Quarantine(budget, 'c'), () => give(name))
      const among = async (name: string): Promise<void> => {
        await untilWritable(run)
        give(name)
      }
      const tried = ['first', 'second', 'third'].map(alone)
      await Promise.all([...tried, among('other'), among('another').then(() => among('another later'))])
      expect(written).to.deep.equal(['first', 'other', 'another', 'another later', 'second', 'third'])
    } finally {
      await run.stop()
    }
  })
})

describe('stopped language server', () => {
  it('leaves no timers that keep the process alive', async () => {
    const server = new LanguageServer({
      network: 'mainnet',
      program: fakeServerProgram,
      environment,
      limits,
      metrics: new LspMetrics(new Metrics().registry),
      log: pino({ level: 'silent' }),
    })
    const member: Member = {
      folder: tmpdir(),
      take: () => undefined,
      wake: () => undefined,
      onStateChange: () => undefined,
    }
    server.join(member)
    await server.ready(AbortSignal.timeout(10_000))
    await server.close()
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    server.leave(member)
    expect(timers()).to.equal(before)
  })
})
