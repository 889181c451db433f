import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { expect } from 'chai'
import fc from 'fast-check'
import { signReport } from '../../../src/editor/github/deploy-workflow.ts'
import { hostileTexts } from '../../support/hostile-texts.ts'
import { GitHubWorld } from './github-world.ts'
import type { HttpResponse, TestUser } from './github-world.ts'
import { pushEventOf, runEvent } from './github-events.ts'

interface DeploymentJson {
  readonly run_id: number
  readonly status: string
  readonly conclusion: string | null
  readonly run_attempt: number
  readonly environment: string | null
  readonly message: string | null
  readonly logs_url: string | null
  readonly duration_ms: number | null
}

describe('repository webhooks', () => {
  let world: GitHubWorld
  before(async () => {
    world = await GitHubWorld.start()
  })
  after(() => world.stop())

  const deployments = async (who: TestUser, projectId: string): Promise<readonly DeploymentJson[]> =>
    (await world.call(who, 'GET', `/deployments?project_id=${projectId}`)).body[
      'deployments'
    ] as unknown as DeploymentJson[]

  it('require a signature of the exact bytes', async () => {
    const { who, projectId, repo } = await world.connected('alice')
    const { headers, body } = world.github.event('workflow_run', runEvent(repo))
    const { 'x-hub-signature-256': right = '', ...unsigned } = headers
    const sign = (text: string, secret: string): string =>
      `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
    const forgeries: Record<string, string>[] = [
      {},
      { 'x-hub-signature-256': '' },
      { 'x-hub-signature-256': 'sha256=' },
      { 'x-hub-signature-256': right.replace('sha256=', '') },
      { 'x-hub-signature-256': right.toUpperCase() },
      { 'x-hub-signature-256': `${right}00` },
      { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      { 'x-hub-signature-256': sign(body, '') },
      { 'x-hub-signature-256': sign(body, 'another secret') },
      { 'x-hub-signature-256': sign(`${body} `, world.github.app.webhookSecret) },
      { 'x-hub-signature': `sha1=${createHmac('sha1', world.github.app.webhookSecret).update(body).digest('hex')}` },
    ]
    for (const forged of forgeries) {
      const answer = await world.call(undefined, 'POST', '/webhook', { headers: { ...unsigned, ...forged }, body })
      expect([answer.status, answer.body['code']], JSON.stringify(forged)).to.deep.equal([401, 'bad-signature'])
    }
    const altered = await world.call(undefined, 'POST', '/webhook', {
      headers,
      body: body.replace('success', 'failure'),
    })
    expect(altered.status).to.equal(401)
    expect(await deployments(who, projectId)).to.deep.equal([])
    expect(
      (await world.pool.query('select 1 from editor.deliveries')).rowCount,
      'a forgery leaves nothing behind',
    ).to.equal(0)
    expect((await world.call(undefined, 'POST', '/webhook', { headers, body })).body).to.deep.equal({
      ok: true,
      outcome: 'taken',
    })
    expect(await deployments(who, projectId)).to.have.length(1)
  })

  it('are rejected if no secret is set', async () => {
    const open = await GitHubWorld.start({ webhookSecret: null })
    try {
      for (const secret of ['', 'undefined', open.github.app.webhookSecret]) {
        const { headers, body } = open.github.event('ping', {}, secret)
        expect((await open.call(undefined, 'POST', '/webhook', { headers, body })).status).to.equal(503)
        expect(
          (
            await open.call(undefined, 'POST', '/webhook/deploy?connection=x', {
              headers: { 'x-signature-256': signReport(secret, '1', body), 'x-timestamp': '1' },
              body,
            })
          ).status,
        ).to.equal(503)
      }
    } finally {
      await open.stop()
    }
  })

  it('are processed once, also when replayed concurrently or with other headers', async () => {
    const { who, projectId, repo } = await world.connected('bob')
    const { headers, body } = world.github.event('workflow_run', runEvent(repo, { status: 'in_progress' }))
    const replay = (more: Record<string, string> = {}): Promise<HttpResponse> =>
      world.call(undefined, 'POST', '/webhook', { headers: { ...headers, ...more }, body })
    const outcomes = (
      await Promise.all(Array.from({ length: 8 }, () => replay({ 'x-github-delivery': crypto.randomUUID() })))
    ).map(({ body: { outcome } }) => String(outcome))
    expect(outcomes.toSorted()).to.deep.equal([...Array<string>(7).fill('repeated'), 'taken'])
    expect((await replay({ 'x-github-event': 'push' })).status, 'as another event').to.equal(400)
    expect((await replay({ 'x-github-event': 'installation' })).status).to.be.oneOf([200, 400])
    expect(await deployments(who, projectId)).to.have.length(1)
    const old = world.github.event('workflow_run', runEvent(repo, { id: 5, at: new Date(Date.now() - 8 * 86_400_000) }))
    expect(
      (await world.call(undefined, 'POST', '/webhook', { headers: old.headers, body: old.body })).body['outcome'],
    ).to.equal('too-old')
  })

  it('yield one deployment per run that never regresses, in any order of delivery', async () => {
    const { who, projectId, repo } = await world.connected('carol')
    const events = [
      { attempt: 1, status: 'queued' },
      { attempt: 1, status: 'in_progress' },
      { attempt: 1, status: 'completed', conclusion: 'failure' },
      { attempt: 2, status: 'queued' },
      { attempt: 2, status: 'in_progress' },
      { attempt: 2, status: 'completed', conclusion: 'success' },
    ]
    let id = 5000
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(events, { minLength: 1 }), async (order) => {
        id++
        for (const event of order)
          expect((await world.webhook('workflow_run', runEvent(repo, { id, ...event }))).status).to.equal(200)
        const rows = (await deployments(who, projectId)).filter((one) => one.run_id === id)
        const last = order.toSorted((a, b) => events.indexOf(a) - events.indexOf(b)).at(-1)
        expect(
          rows.map(({ run_attempt: attempt, status, conclusion }) => ({ attempt, status, conclusion })),
        ).to.deep.equal([{ attempt: last?.attempt, status: last?.status, conclusion: last?.conclusion ?? null }])
      }),
      { numRuns: 25 },
    )
  })

  it('update all projects of a repository, each by its branch and environment', async () => {
    const { who, projectId, repo } = await world.connected('dave')
    const second = await world.connected('dave', repo)
    const third = await world.connected('dave', repo)
    await world.call(who, 'POST', '/environments', {
      body: { project_id: second.projectId, name: 'prod', branch: 'main', network: 'mainnet' },
    })
    await world.call(who, 'POST', '/connect', {
      body: {
        project_id: third.projectId,
        installation_id: third.installationId,
        owner: 'dave',
        repo: repo.name,
        branch: 'other',
        network: 'testnet',
      },
    })
    await world.webhook('workflow_run', runEvent(repo, { id: 900 }))
    const rows = await Promise.all([projectId, second.projectId, third.projectId].map((id) => deployments(who, id)))
    expect(rows.map((list) => list.map(({ environment }) => environment))).to.deep.equal([[null], ['prod'], []])
    expect(rows[0]?.[0]).to.include({ message: 'Deploy it', duration_ms: 5000 })
  })

  it('ignore pull requests of forks, other workflows and other events', async () => {
    const { who, projectId, repo } = await world.connected('erin')
    const spoofs = [
      { headRepository: 1 },
      { event: 'pull_request' },
      { event: 'pull_request', headRepository: 1 },
      { event: 'schedule' },
      { path: '.github/workflows/test.yml' },
      { branch: 'elsewhere' },
    ]
    for (const [i, spoof] of spoofs.entries())
      expect((await world.webhook('workflow_run', runEvent(repo, { id: 6000 + i, ...spoof }))).status).to.equal(200)
    expect(await deployments(who, projectId)).to.deep.equal([])
  })

  it('store untrusted text without breaking a page', async () => {
    const { who, projectId, repo } = await world.connected('faye')
    for (const [i, text] of [...hostileTexts, 'x'.repeat(100_000), '\u202Eevil', 'javascript:alert(1)'].entries()) {
      const event = runEvent(repo, { id: 7000 + i, message: text }) as {
        workflow_run: { html_url: string; actor: { login: string } }
      }
      event.workflow_run.html_url = text
      event.workflow_run.actor.login = text
      expect((await world.webhook('workflow_run', event)).status, text.slice(0, 50)).to.equal(200)
    }
    for (const { logs_url: url, message } of await deployments(who, projectId)) {
      expect(url === null || /^https?:/.test(url), String(url)).to.equal(true)
      expect(message?.length ?? 0).to.be.at.most(200)
      expect(message ?? '').not.to.match(/[\p{Cc}\p{Cf}]/u)
    }
    const pages: string[] = []
    for (let before = ''; pages.length < 500;) {
      const { deployments: page } = (
        await world.call(
          who,
          'GET',
          `/deployments?project_id=${projectId}&limit=7${before === '' ? '' : `&before=${before}`}`,
        )
      ).body as unknown as { deployments: { id: string }[] }
      pages.push(...page.map(({ id }) => id))
      if (page.length < 7) break
      before = page.at(-1)?.id ?? ''
    }
    expect(new Set(pages).size, 'all pages together').to.equal(hostileTexts.length + 3)
  })

  it('reject malformed payloads and ignore other events', async () => {
    for (const payload of [
      {},
      { repository: {} },
      { workflow_run: 1, repository: 2 },
      [],
      null,
      'x',
      { action: 'completed', repository: { id: '1' } },
    ]) {
      for (const event of ['push', 'workflow_run', 'installation', 'installation_repositories', 'repository']) {
        expect((await world.webhook(event, payload)).body['code'], `${event} ${JSON.stringify(payload)}`).to.equal(
          'bad-event',
        )
      }
    }
    for (const event of ['ping', 'star', '__proto__', 'constructor', 'toString'])
      expect((await world.webhook(event, {})).body['outcome'], event).to.equal('not-of-interest')
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const signature = `sha256=${createHmac('sha256', world.github.app.webhookSecret).update(deep).digest('hex')}`
    expect(
      (
        await world.call(undefined, 'POST', '/webhook', {
          headers: { 'x-hub-signature-256': signature, 'x-github-event': 'push', 'x-github-delivery': 'd' },
          body: deep,
        })
      ).status,
    ).to.equal(400)
  })

  it('reject out-of-range numbers and times', async () => {
    const { who, projectId, repo } = await world.connected('nina')
    const before = world.logged.length
    const odd = (event: unknown, path: readonly string[], value: unknown): unknown => {
      const copy = structuredClone(event) as Record<string, unknown>
      const inner = path
        .slice(0, -1)
        .reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, copy)
      inner[path.at(-1) ?? ''] = value
      return copy
    }
    const far = [
      '+275760-09-13T00:00:00.000Z',
      '-271821-04-20T00:00:00.000Z',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
    ]
    const events: readonly (readonly [string, unknown])[] = [
      ...[1e300, -1e300, 8.64e12, 8.65e12, 0.5, ...far].map(
        (at) => ['push', odd(pushEventOf(repo), ['repository', 'pushed_at'], at)] as const,
      ),
      ...[2 ** 53, 2 ** 53 - 1, 2 ** 31, 2 ** 32].flatMap((number) => [
        ['workflow_run', odd(runEvent(repo, { id: number }), ['n'], 1)] as const,
        ['workflow_run', odd(runEvent(repo, { id: 4100 }), ['workflow_run', 'run_attempt'], number)] as const,
        ['installation', { action: 'suspend', installation: { id: number } }] as const,
      ]),
      ...far.flatMap((at) => [
        ['workflow_run', odd(runEvent(repo, { id: 4200 }), ['workflow_run', 'updated_at'], at)] as const,
        ['workflow_run', odd(runEvent(repo, { id: 4300 }), ['workflow_run', 'run_started_at'], at)] as const,
      ]),
    ]
    for (const [event, payload] of events)
      expect((await world.webhook(event, payload)).status, `${event} ${JSON.stringify(payload)}`).to.be.oneOf([
        200, 400,
      ])
    expect(world.logged.slice(before).filter((line) => line.includes('"level":50'))).to.deep.equal([])
    expect((await deployments(who, projectId)).length).to.be.greaterThan(0)
    expect(
      (await world.webhook('push', pushEventOf(repo, { after: 'd'.repeat(40), at: new Date(Date.now() + 2000) }))).body[
        'outcome'
      ],
    ).to.equal('taken')
    const { connection } = (await world.call(who, 'GET', `/connection?project_id=${projectId}`)).body as unknown as {
      connection: { last_commit_sha: string }
    }
    expect(connection.last_commit_sha, 'a time that has not come yet holds nothing up').to.equal('d'.repeat(40))
  })

  it('reject an oversized body without reading it', async () => {
    const signature = `sha256=${'0'.repeat(64)}`
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'push', 'x-github-delivery': 'd' }
    const reported = await new Promise<number | undefined>((resolve, reject) => {
      const call = request(
        `${world.url}/github/webhook`,
        { method: 'POST', headers: { ...headers, 'content-length': 30_000_000 } },
        (response) => {
          resolve(response.statusCode)
          call.destroy()
        },
      )
      call.on('error', reject)
      call.write('{')
    })
    expect(reported).to.equal(413)
    const streamed = await new Promise<number | undefined>((resolve, reject) => {
      const call = request(`${world.url}/github/webhook`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode)
        call.destroy()
      })
      // The server may close the connection during the write.
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
      })
      const chunk = Buffer.alloc(1024 * 1024, 0x20)
      for (let i = 0; i < 6; i++) call.write(chunk)
    })
    expect(streamed).to.equal(413)
  })

  it('use bounded memory for concurrent bodies', async () => {
    const headers = {
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
      'x-github-event': 'push',
      'x-github-delivery': 'd',
    }
    const max = 4 * 1024 * 1024
    const calls = Array.from({ length: 24 }, () => {
      const call = request(`${world.url}/github/webhook`, {
        method: 'POST',
        headers: { ...headers, 'content-length': max + 1 },
      })
      const status = new Promise<number | undefined>((resolve) => {
        call.on('response', (response) => resolve(response.statusCode))
        call.on('error', () => resolve(undefined))
      })
      call.write(Buffer.alloc(max, 0x20))
      return { call, status }
    })
    expect(
      await Promise.race(calls.map(({ status }) => status)),
      'some are refused before all of it is there',
    ).to.equal(503)
    for (const { call } of calls) call.end(' ')
    const statuses = await Promise.all(calls.map(({ status }) => status))
    expect(statuses, 'the others are read, and refused for their signature').to.include.members([401, 503])
    const { repo } = await world.connected('olga')
    expect((await world.webhook('push', pushEventOf(repo))).body['outcome'], 'all of it was given back').to.equal(
      'taken',
    )
  })

  it('enable and disable connections with the installation and its repositories', async () => {
    const { who, projectId, repo, installationId } = await world.connected('gail')
    const state = async (): Promise<unknown> =>
      (await world.call(who, 'GET', `/connection?project_id=${projectId}`)).body['connection']?.['off_reason']
    let n = 0
    const send = (event: string, payload: object): Promise<HttpResponse> =>
      world.webhook(event, { ...payload, n: n++, installation: { id: installationId } })
    await send('installation_repositories', { action: 'removed', repositories_removed: [{ id: repo.id }] })
    expect(await state()).to.equal('repository-removed')
    expect(
      (await world.call(who, 'POST', '/dispatch', { body: { project_id: projectId, action: 'deploy' } })).body['code'],
    ).to.equal('connection-off')
    await send('installation_repositories', { action: 'added', repositories_added: [{ id: repo.id }] })
    expect(await state()).to.equal(null)
    await send('installation', { action: 'suspend' })
    expect(await state()).to.equal('installation-suspended')
    expect((await world.call(who, 'GET', `/repos?installation_id=${installationId}`)).body['code']).to.equal(
      'installation-suspended',
    )
    await send('installation_repositories', { action: 'added', repositories_added: [{ id: repo.id }] })
    expect(await state(), 'that is another reason').to.equal('installation-suspended')
    await send('installation', { action: 'unsuspend' })
    expect(await state()).to.equal(null)
    await world.webhook('repository', {
      action: 'renamed',
      repository: { id: repo.id, name: 'renamed', owner: { login: 'gail' } },
    })
    expect((await world.call(who, 'GET', `/connection?project_id=${projectId}`)).body['connection']).to.include({
      repo: 'renamed',
    })
    await send('installation', { action: 'deleted' })
    expect(await state()).to.equal('installation-deleted')
    expect((await world.call(who, 'GET', '/installations')).body).to.deep.equal({ installations: [] })
    await send('installation', { action: 'unsuspend' })
    expect(await state(), 'what was deleted stays so').to.equal('installation-deleted')
  })

  it('of pushes store the newest commit of the branch', async () => {
    const { who, projectId, repo } = await world.connected('hank')
    const head = async (): Promise<unknown> =>
      (await world.call(who, 'GET', `/connection?project_id=${projectId}`)).body['connection']?.['last_commit_sha']
    await world.webhook('push', pushEventOf(repo, { after: 'b'.repeat(40), at: new Date(Date.now() - 10_000) }))
    await world.webhook('push', pushEventOf(repo, { after: 'a'.repeat(40), at: new Date(Date.now() - 60_000) }))
    expect(await head()).to.equal('b'.repeat(40))
    await world.webhook('push', pushEventOf(repo, { branch: 'elsewhere', after: 'c'.repeat(40) }))
    await world.webhook('push', pushEventOf(repo, { after: '0'.repeat(40), deleted: true }))
    expect(await head()).to.equal('b'.repeat(40))
  })

  describe('workflow reports', () => {
    const report = async (
      connection: string,
      key: string,
      body: object,
      {
        at = Math.floor(Date.now() / 1000),
        signature,
      }: { readonly at?: number | string; readonly signature?: string } = {},
    ): Promise<HttpResponse> => {
      const text = JSON.stringify(body)
      return world.call(undefined, 'POST', `/webhook/deploy?connection=${connection}`, {
        headers: { 'x-timestamp': String(at), 'x-signature-256': signature ?? signReport(key, String(at), text) },
        body: text,
      })
    }
    const withKey = async (name: string): Promise<{ who: TestUser; projectId: string; id: string; key: string }> => {
      const { who, projectId, repo } = await world.connected(name)
      await world.call(who, 'POST', '/environments', {
        body: { project_id: projectId, name: 'live', branch: 'main', network: 'mainnet' },
      })
      await world.call(who, 'POST', '/secrets', {
        body: {
          project_id: projectId,
          environment_name: 'live',
          flow_address: '0x0000000000000001',
          flow_key_index: 0,
          key_id: `key of ${repo.id}`,
          encrypted_private_key: Buffer.alloc(112).toString('base64'),
        },
      })
      return {
        who,
        projectId,
        id: new URL(world.github.secret(repo, 'RUNNER_WEBHOOK_URL') ?? '').searchParams.get('connection') ?? '',
        key: world.github.secret(repo, 'RUNNER_WEBHOOK_SECRET') ?? '',
      }
    }
    const run = (more: object = {}): object => ({
      status: 'in_progress',
      sha: 'ab'.repeat(20),
      branch: 'main',
      network: 'mainnet',
      action: 'deploy',
      run_id: 4242,
      run_attempt: 1,
      ...more,
    })

    it('are accepted once, signed with the connection key, within minutes', async () => {
      const { who, projectId, id, key } = await withKey('ida')
      const other = await withKey('ike')
      const now = Math.floor(Date.now() / 1000)
      for (const [connection, secret] of [
        [id, ''],
        [id, 'x'],
        [id, other.key],
        [id, world.github.app.webhookSecret],
        [other.id, key],
        [crypto.randomUUID(), key],
        ['none', key],
        ['', key],
      ] as const) {
        expect((await report(connection, secret, run())).body['code'], connection).to.equal('bad-signature')
      }
      for (const at of [now - 400, now + 400, 0, -1, 'x', '', `${now}.0`, '99999999999999'])
        expect((await report(id, key, run(), { at })).status, String(at)).to.equal(401)
      for (const signature of ['', 'sha256=', 'x', signReport(key, String(now + 1), JSON.stringify(run()))])
        expect((await report(id, key, run(), { at: now, signature })).status, signature).to.equal(401)
      expect(await deployments(who, projectId)).to.deep.equal([])
      expect((await report(id, key, run(), { at: now })).body['outcome']).to.equal('taken')
      const replay = await report(id, key, run(), { at: now })
      expect([replay.status, replay.body['code']]).to.deep.equal([409, 'repeated'])
      expect((await report(id, key, run({ status: 'failure' }))).body['outcome']).to.equal('taken')
      expect((await report(id, key, run(), { at: now - 1 })).body['outcome'], 'what came before').to.equal(
        'not-of-interest',
      )
      expect(await deployments(who, projectId)).to.satisfy(
        (list: readonly DeploymentJson[]) =>
          list.length === 1 && list[0]?.conclusion === 'failure' && list[0].environment === 'live',
      )
      for (const bad of [
        run({ run_id: -1 }),
        run({ run_attempt: 2 ** 31 }),
        run({ sha: 'x' }),
        run({ branch: '../x' }),
        run({ status: '<b>' }),
        {},
      ])
        expect((await report(id, key, bad)).status, JSON.stringify(bad)).to.equal(400)
    })

    it('and GitHub webhooks of the same run yield one deployment', async () => {
      const { who, projectId, id, key } = await withKey('jill')
      const repo = world.github.repositories.find(({ owner }) => owner === 'jill')
      if (repo === undefined) throw new Error('no repository')
      await report(id, key, run())
      await world.webhook('workflow_run', runEvent(repo, { id: 4242, status: 'in_progress' }))
      await world.webhook('workflow_run', runEvent(repo, { id: 4242 }))
      const [one, ...more] = await deployments(who, projectId)
      expect(more).to.deep.equal([])
      expect(one).to.include({ conclusion: 'success', message: 'Deploy it', environment: 'live' })
    })
  })
})
