import { expect } from 'chai'
import { sealKey } from '../../../dashboards/editor/repository/seal-key.ts'
import { reportKey, signReport } from '../../../src/editor/github/deploy-workflow.ts'
import { GitHubWorld } from './github-world.ts'
import type { TestUser } from './github-world.ts'

const privateKey = 'c0ffee'.repeat(10) + 'beef'

describe('repository secrets', () => {
  let world: GitHubWorld
  before(async () => {
    world = await GitHubWorld.start()
  })
  after(() => world.stop())

  const environment = (
    who: TestUser,
    projectId: string,
    name: string,
    branch: string,
    more: object = {},
  ): ReturnType<GitHubWorld['call']> =>
    world.call(who, 'POST', '/environments', {
      body: { project_id: projectId, name, branch, network: 'testnet', ...more },
    })
  /** Same encryption as in the page. */
  const put = async (
    who: TestUser,
    projectId: string,
    name: string,
    more: object = {},
  ): ReturnType<GitHubWorld['call']> => {
    const { body } = await world.call(who, 'GET', `/secrets/key?project_id=${projectId}`)
    return world.call(who, 'POST', '/secrets', {
      body: {
        project_id: projectId,
        environment_name: name,
        flow_address: '0x0ae53cb6e3f42a79',
        flow_key_index: 3,
        key_id: body['key_id'],
        encrypted_private_key: await sealKey(`0x${privateKey}`, String(body['key'])),
        ...more,
      },
    })
  }

  it('are sealed so that only the repository can open them', async () => {
    const { who, projectId, repo } = await world.connected('alice')
    await environment(who, projectId, 'pre-prod', 'main')
    world.github.grants.length = 0
    const answer = await put(who, projectId, 'pre-prod')
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body['secrets']).to.deep.equal([
      'FLOW_PRIVATE_KEY_PRE_PROD',
      'FLOW_ADDRESS_PRE_PROD',
      'FLOW_KEY_INDEX_PRE_PROD',
      'RUNNER_WEBHOOK_URL',
      'RUNNER_WEBHOOK_SECRET',
    ])
    expect(world.github.secret(repo, 'FLOW_PRIVATE_KEY_PRE_PROD')).to.equal(privateKey)
    expect(world.github.secret(repo, 'FLOW_ADDRESS_PRE_PROD')).to.equal('0x0ae53cb6e3f42a79')
    expect(world.github.secret(repo, 'FLOW_KEY_INDEX_PRE_PROD')).to.equal('3')
    expect(world.github.grants.at(-1)).to.deep.equal({ permissions: { secrets: 'write' }, repositories: [repo.name] })
    const {
      rows: [connection],
    } = await world.pool.query<{ id: string; callbackSalt: Buffer }>(
      'select id, callback_salt as "callbackSalt" from editor.connections where project_id = $1',
      [projectId],
    )
    expect(world.github.secret(repo, 'RUNNER_WEBHOOK_URL')).to.equal(
      `${world.url}/github/webhook/deploy?connection=${connection?.id}`,
    )
    expect(world.github.secret(repo, 'RUNNER_WEBHOOK_SECRET')).to.equal(
      reportKey(world.github.app.webhookSecret, connection ?? { id: '', callbackSalt: Buffer.alloc(0) }),
    )
    const sealed = [...repo.secrets.values()]
    await put(who, projectId, 'pre-prod')
    expect(
      [...repo.secrets.values()].filter((one) => sealed.includes(one)),
      'no two boxes are alike',
    ).to.deep.equal([])
    expect((await world.call(who, 'GET', `/environments?project_id=${projectId}`)).body['environments']).to.deep.equal([
      {
        name: 'pre-prod',
        branch: 'main',
        network: 'testnet',
        flow_address: '0x0ae53cb6e3f42a79',
        flow_key_index: 3,
        secrets_configured: true,
        is_default: false,
      },
    ])
  })

  it('appear in no response, log line or table', async () => {
    const { who, projectId } = await world.connected('bob')
    await environment(who, projectId, 'x', 'main')
    const texts = [(await put(who, projectId, 'x')).text]
    texts.push(
      (await put(who, projectId, 'none')).text,
      (await put(who, projectId, 'x', { flow_key_index: -1 })).text,
      (await put(who, projectId, 'x', { flow_private_key: privateKey })).text,
      (await put(who, projectId, 'x', { flow_address: 'none' })).text,
    )
    for (const status of [401, 403, 404, 409, 422, 500]) {
      world.github.faults.push({ part: '/actions/secrets/FLOW', answer: [status, { message: 'no' }], times: 1 })
      texts.push((await put(who, projectId, 'x')).text)
    }
    const { rows } = await world.pool.query<{ line: string }>(
      `select t::text as line from editor.connections t union all select t::text from editor.environments t union all select t::text from editor.deliveries t union all select t::text from editor.installations t`,
    )
    for (const text of [...texts, ...world.logged, ...rows.map(({ line }) => line)])
      expect(text.toLowerCase()).not.to.include(privateKey.slice(0, 20))
    const head = reportKey(
      world.github.app.webhookSecret,
      (
        await world.pool.query<{ id: string; callbackSalt: Buffer }>(
          'select id, callback_salt as "callbackSalt" from editor.connections where project_id = $1',
          [projectId],
        )
      ).rows[0] ?? { id: '', callbackSalt: Buffer.alloc(0) },
    )
    for (const text of [...texts, ...world.logged]) expect(text).not.to.include(head)
  })

  it('are accepted only if sealed with the current key of the repository', async () => {
    const { who, projectId, repo } = await world.connected('berta')
    await environment(who, projectId, 'x', 'main')
    for (const [more, field] of [
      [{ flow_private_key: privateKey }, 'flow_private_key'],
      [{ encrypted_private_key: privateKey }, 'encrypted_private_key'],
      [{ encrypted_private_key: Buffer.from(privateKey).toString('base64') }, 'encrypted_private_key'],
      [{ encrypted_private_key: undefined }, 'encrypted_private_key'],
      [{ encrypted_private_key: Buffer.alloc(113).toString('base64') }, 'encrypted_private_key'],
      [{ encrypted_private_key: '='.repeat(152) }, 'encrypted_private_key'],
      [{ key_id: undefined }, 'key_id'],
    ] as const) {
      const answer = await put(who, projectId, 'x', more)
      expect([answer.status, answer.body['field']], answer.text).to.deep.equal([400, field])
      expect(answer.text).not.to.include(privateKey)
    }
    const stale = await put(who, projectId, 'x', { key_id: 'of last year' })
    expect([stale.status, stale.body['code']]).to.deep.equal([409, 'key-changed'])
    expect(repo.secrets.size).to.equal(0)
    expect((await put(who, projectId, 'x')).status).to.equal(200)
  })

  it('have distinct names in two environments', async () => {
    const { who, projectId } = await world.connected('cora')
    expect((await environment(who, projectId, 'a-b', 'main')).status).to.equal(200)
    expect((await environment(who, projectId, 'A_b', 'dev')).body['code']).to.equal('environment-taken')
    expect((await environment(who, projectId, 'other', 'main')).body['field']).to.equal('branch')
    expect((await environment(who, projectId, 'a-b', 'main', { is_default: true })).status).to.equal(200)
    const both = await Promise.all([
      environment(who, projectId, 'one', 'b1', { is_default: true }),
      environment(who, projectId, 'two', 'b2', { is_default: true }),
    ])
    expect(both.map(({ status }) => status)).to.deep.equal([200, 200])
    const { environments } = (await world.call(who, 'GET', `/environments?project_id=${projectId}`))
      .body as unknown as { environments: { is_default: boolean }[] }
    expect(environments.map(({ is_default: isDefault }) => isDefault)).to.deep.equal([true, false, false])
    expect((await world.call(who, 'DELETE', `/environments?project_id=${projectId}&name=two`)).status).to.equal(200)
    expect((await world.call(who, 'DELETE', `/environments?project_id=${projectId}&name=two`)).status).to.equal(404)
    for (const name of ['', '1a', 'a b', 'a"', '$(x)', 'é', 'a'.repeat(41)])
      expect((await environment(who, projectId, name, 'x')).status, name).to.equal(400)
  })

  it('belong to an environment that the workflow creates if missing', async () => {
    const { who, projectId, repo } = await world.connected('dirk')
    await world.call(who, 'POST', '/workflow', { body: { project_id: projectId } })
    expect((await put(who, projectId, 'testnet')).status).to.equal(200)
    expect(world.github.secret(repo, 'FLOW_PRIVATE_KEY_TESTNET')).to.equal(privateKey)
  })

  it('are deleted with all other data of a deleted project', async () => {
    const [stays, goes, changes] = [
      await world.connected('ed'),
      await world.connected('flo'),
      await world.connected('gus'),
    ]
    world.projects.delete(goes.projectId)
    world.projects.set(changes.projectId, { id: changes.projectId, ownerId: stays.who.userId, isPublic: true })
    await world.service?.prune()
    const { rows } = await world.pool.query<{ id: string }>('select project_id as id from editor.connections')
    expect(rows.map(({ id }) => id))
      .to.include(stays.projectId)
      .and.not.include.members([goes.projectId])
    expect(rows.map(({ id }) => id)).not.to.include(changes.projectId)
  })

  it('include a report key per connection, which changes on reconnect', async () => {
    const one = { id: '00000000-0000-4000-8000-000000000001', callbackSalt: Buffer.alloc(32, 1) }
    const keys = [
      reportKey('s', one),
      reportKey('t', one),
      reportKey('s', { ...one, id: '00000000-0000-4000-8000-000000000002' }),
      reportKey('s', { ...one, callbackSalt: Buffer.alloc(32, 2) }),
    ]
    expect(new Set(keys).size).to.equal(4)
    expect(signReport('k', '1', 'body')).to.equal(signReport('k', '1', Buffer.from('body')))
  })
})
