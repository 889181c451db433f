import { expect } from 'chai'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { answerTextOf, readChunks, runChat } from '../support/running-chat.ts'
import type { RunningChat } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import type { StreamingProvider } from '../support/streaming-provider.ts'

const proposed = {
  name: 'Block 5',
  sql: 'SELECT count(*) FROM raw.blocks',
  condition: { kind: 'compare', operator: '>', number: '5' },
}
const url = 'https://93.184.216.34/hook'

interface Run {
  readonly code?: string
  readonly error: string | null
  readonly output: { readonly structuredContent: { readonly secret?: string; readonly status?: string } } | null
}

describe('alerts in the chat', () => {
  let database: TestDatabase
  let provider: StreamingProvider
  let chat: RunningChat
  before(async () => {
    database = await createTestDatabase()
    provider = await startStreamingProvider(({ step, messages }) => {
      const question = messages.findLast(({ role }) => role === 'user')?.text ?? ''
      if (step > 0) return ['Please confirm it below.']
      // Similar examples precede the question.
      const [, word, id] = /(Tell|Wrong|List|Delete)(?: (\w+))?[^]*$/.exec(question) ?? []
      if (word === 'Tell') return [{ tool: 'create_alert', input: proposed }]
      if (word === 'Wrong')
        return [{ tool: 'create_alert', input: { ...proposed, condition: { kind: 'rows', operator: '>' } } }]
      if (word === 'List') return [{ tool: 'list_alerts', input: {} }]
      return [{ tool: 'delete_alert', input: { id, name: 'Block 5' } }]
    })
    chat = await runChat({
      database,
      hasMcp: true,
      variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', API_TOKEN: 'the-token' },
    })
  })
  after(async () => {
    await chat.stop()
    await provider.close()
    await database.drop()
  })

  const token = { Authorization: 'Bearer the-token' }
  const confirm = async (body: object, headers: Record<string, string> = token): Promise<Run & { status: number }> => {
    const response = await fetch(`${chat.origin}/api/chat/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { ...((await response.json()) as Run), status: response.status }
  }
  const outputs = async (question: string): Promise<readonly object[]> => {
    const chunks = await readChunks(await chat.ask(question, token))
    expect(answerTextOf(chunks)).to.equal('Please confirm it below.')
    return chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.output as object] : []))
  }
  const stored = async (): Promise<readonly { id: string; owner: string }[]> =>
    (await database.pool.query<{ id: string; owner: string }>('SELECT id, owner FROM app.alerts')).rows

  it('are created and deleted only after the user confirms', async () => {
    const [proposal] = await outputs('Tell me when there are more than 5 blocks')
    expect(proposal).to.deep.include({
      status: 'unconfirmed',
      action: 'create_alert',
      ...proposed,
      interval_seconds: 300,
    })
    expect(await stored()).to.deep.equal([])
    expect(provider.calls.at(-1)?.messages.at(-1)?.toolResults[0]?.text).to.include('It is not done yet')
    const { status: _status, action: _action, ...input } = proposal as Record<string, unknown>
    const created = await confirm({ tool: 'create_alert', input: { ...input, url } })
    expect(created).to.deep.include({ status: 200, error: null })
    expect(created.output?.structuredContent.secret).to.match(/^whsec_/)
    const [alert] = await stored()
    expect(alert?.owner, 'of API_TOKEN').to.match(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(await outputs('List my alerts'))).to.include(alert?.id)

    expect((await outputs(`Delete ${alert?.id}`))[0]).to.include({ status: 'unconfirmed', action: 'delete_alert' })
    expect(await stored()).to.have.lengthOf(1)
    const removed = await confirm({ tool: 'delete_alert', input: { id: alert?.id } })
    expect(removed.output?.structuredContent.status).to.equal('deleted')
    expect(await stored()).to.deep.equal([])
  })

  it('return invalid proposals to the model', async () => {
    expect(await outputs('Wrong')).to.deep.equal([])
    expect(provider.calls.at(-1)?.messages.at(-1)?.toolResults[0]?.text).to.include('condition')
  })

  it('need the token, a known tool, a public URL and a statement that runs', async () => {
    const input = { ...proposed, url }
    expect((await confirm({ tool: 'create_alert', input }, {})).code).to.equal('missing-token')
    for (const tool of ['run_indexer_sql', 'constructor', ''])
      expect((await confirm({ tool, input })).code, tool).to.equal('invalid-field')
    expect((await confirm({ tool: 'create_alert', input: { ...input, url: 'http://127.0.0.1/' } })).error).to.be.a(
      'string',
    )
    expect(
      (await confirm({ tool: 'create_alert', input: { ...input, sql: 'DROP TABLE raw.blocks' } })).error,
    ).to.include('DROP')
    expect((await confirm({ tool: 'delete_alert', input: { id: '../x' } })).error).to.include('No alert has this id')
    expect(await stored()).to.deep.equal([])
  })
})
