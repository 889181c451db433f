import { join } from 'node:path'
import { expect } from 'chai'
import { goldQuestions } from '../../../../scripts/eval/gold-questions.ts'
import { startFakeProvider } from '../../../../scripts/eval/fake-provider.ts'
import { ProgramRun } from '../../../support/command-line.ts'
import type { ProcessResult } from '../../../support/command-line.ts'
import { repositoryRoot } from '../../../support/repository.ts'

const command = join(repositoryRoot, 'scripts/eval.ts')
const run = (args: readonly string[], variables: Record<string, string> = {}): Promise<ProcessResult> =>
  new ProgramRun(command, args, variables).ended

describe('eval command', () => {
  it('rejects invalid options before it starts', async () => {
    const [question, protocol] = await Promise.all([run(['--only', 'nonsense']), run(['--protocol', 'smoke-signals'])])
    expect([question.code, protocol.code]).to.deep.equal([1, 1])
    expect(question.stderr).to.match(/--only must be one of .*block-count.*not "nonsense"/)
    expect(protocol.stderr).to.match(/--protocol must be one of .*openai-compatible.*not "smoke-signals"/)
  })

  it('sends the questions to the configured model and fails below the required score', async () => {
    const gold = goldQuestions('emulator').find(({ id }) => id === 'fees-total')
    await using provider = await startFakeProvider(({ question }) => ({
      text: question.includes(gold?.question ?? '?') ? (gold?.accepted[1] ?? '') : 'select 5 as wrong',
    }))
    const { code, stdout, stderr } = await run(['--only', 'fees-total,account-count', '--min', '60'], {
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'live-model',
      LLM_BASE_URL: provider.url,
    })
    expect(stderr).to.equal('')
    expect(stdout).to.include('openai-compatible/live-model: 1 of 2 right, execution accuracy 50.0 %')
    expect(stdout).to.match(/account-count \(indexer\): wrong\n.*How many accounts are known\?\n.*select 5 as wrong/)
    expect(code).to.equal(1)
    expect(provider.calls.map(({ model }) => model)).to.deep.equal(['live-model', 'live-model'])
  })
})
