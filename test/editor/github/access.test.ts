import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { hostileTexts } from '../../support/hostile-texts.ts'
import { GitHubWorld } from './github-world.ts'

describe('access to repositories', () => {
  let world: GitHubWorld
  before(async () => {
    world = await GitHubWorld.start()
  })
  after(() => world.stop())

  it('requires an access token', async () => {
    const { projectId, installationId } = await world.connected('anna')
    const calls: [string, string][] = [
      ['GET', `/repos?installation_id=${installationId}`],
      ['GET', `/tree/anna/contracts-of-anna?installation_id=${installationId}`],
      ['GET', `/file/anna/contracts-of-anna/README.md?installation_id=${installationId}`],
      ['GET', '/runs/anna/contracts-of-anna'],
      ['GET', '/commits/anna/contracts-of-anna'],
      ['GET', `/connection?project_id=${projectId}`],
      ['DELETE', `/connection?project_id=${projectId}`],
      ['GET', `/environments?project_id=${projectId}`],
      ['GET', `/deployments?project_id=${projectId}`],
      ['GET', '/installations'],
      ['POST', '/install'],
      ['POST', '/connect'],
      ['POST', '/commit'],
      ['POST', '/workflow'],
      ['POST', '/secrets'],
      ['POST', '/promote'],
      ['POST', '/dispatch'],
      ['POST', '/environments'],
    ]
    const before = world.github.requested.length
    for (const [method, path] of calls) {
      const answer = await world.call(
        undefined,
        method,
        path,
        method === 'POST' ? { body: { project_id: projectId } } : {},
      )
      expect([answer.status, answer.headers.get('content-type')], `${method} ${path}`).to.deep.equal([
        401,
        'application/problem+json',
      ])
      expect(
        (await world.call({ name: 'nobody', userId: '' }, method, path, method === 'POST' ? { body: {} } : {})).status,
        `${method} ${path}`,
      ).to.equal(401)
    }
    expect(world.github.requested.slice(before)).to.deep.equal([])
  })

  it('rejects installations of other users and unknown ones with the same error', async () => {
    const { repo, installationId } = await world.connected('bea')
    const mallory = world.testUser('mallory')
    await world.connected('mallory')
    const projectId = world.project(mallory)
    const before = world.github.requested.length
    for (const path of [
      '/repos?',
      '/tree/bea/contracts-of-bea?',
      '/file/bea/contracts-of-bea/README.md?',
      '/runs/bea/contracts-of-bea?',
      '/commits/bea/contracts-of-bea?',
    ]) {
      const [theirs, none] = await Promise.all(
        [installationId, 999_999_999].map((id) => world.call(mallory, 'GET', `${path}installation_id=${id}`)),
      )
      expect([theirs?.status, theirs?.body['code'], theirs?.body['detail']], path).to.deep.equal([
        403,
        'no-installation',
        none?.body['detail'],
      ])
    }
    const connect = await world.call(mallory, 'POST', '/connect', {
      body: {
        project_id: projectId,
        installation_id: installationId,
        owner: 'bea',
        repo: repo.name,
        branch: 'main',
        network: 'testnet',
      },
    })
    expect([connect.status, connect.body['code']]).to.deep.equal([403, 'no-installation'])
    expect(world.github.requested.slice(before), 'GitHub was asked nothing').to.deep.equal([])
  })

  it('ignores a forged installation_id in the callback URL', async () => {
    const { installationId } = await world.connected('cleo')
    const mallory = world.testUser('mallory2')
    world.github.userId('mallory2')
    const install = await world.call(mallory, 'POST', '/install', { body: {} })
    const state = new URL(String(install.body['url'])).searchParams.get('state') ?? ''
    const cookie = install.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const back = await world.call(
      undefined,
      'GET',
      `/callback?installation_id=${installationId}&setup_action=install&state=${state}&code=${world.github.codeFor('mallory2')}`,
      { headers: { cookie } },
    )
    expect(new URL(back.headers.get('location') ?? '').searchParams.get('github')).to.equal('none')
    expect((await world.call(mallory, 'GET', '/installations')).body).to.deep.equal({ installations: [] })
    expect((await world.call(mallory, 'GET', `/repos?installation_id=${installationId}`)).status).to.equal(403)
  })

  it('accepts a callback once, in the browser that started it, with a valid GitHub code', async () => {
    const who = world.testUser('dina')
    world.github.install('dina', 'User', [world.github.repository('dina', 'r', { files: { a: 'a' } })])
    const begin = async (): Promise<{ state: string; cookie: string }> => {
      const install = await world.call(who, 'POST', '/install', { body: {} })
      expect(install.headers.get('set-cookie')).to.match(
        /^flowfarm-github-[0-9a-f]{16}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      )
      return {
        state: new URL(String(install.body['authorize_url'])).searchParams.get('state') ?? '',
        cookie: install.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
      }
    }
    const end = async (state: string, cookie: string, code = world.github.codeFor('dina')): Promise<string | null> => {
      const back = await world.call(undefined, 'GET', `/callback?${new URLSearchParams({ state, code }).toString()}`, {
        headers: { cookie },
      })
      expect(back.headers.get('location')).to.match(new RegExp(`^${world.url}/\\?`))
      return new URL(back.headers.get('location') ?? '').searchParams.get('reason')
    }
    const [one, other] = [await begin(), await begin()]
    expect(await end(one.state, ''), 'no cookie').to.equal('bad-state')
    expect(await end(one.state, other.cookie), 'that of another tab').to.equal('bad-state')
    expect(await end(one.state, `${one.cookie.split('=', 1)[0]}=${'A'.repeat(43)}`), 'a made one').to.equal('bad-state')
    expect(await end('made up', one.cookie)).to.equal('bad-state')
    expect(await end(one.state, one.cookie, 'no code')).to.equal('github-code')
    expect(await end(one.state, one.cookie), 'it was used up').to.equal('bad-state')
    const [requested, denied] = [await begin(), await begin()]
    const toldBy = async ({ state, cookie }: typeof requested, query: string): Promise<string> =>
      new URL(
        (await world.call(undefined, 'GET', `/callback?state=${state}&${query}`, { headers: { cookie } })).headers.get(
          'location',
        ) ?? '',
      ).search
    expect(await toldBy(requested, 'setup_action=request')).to.equal('?github=asked')
    expect(await toldBy(denied, 'error=access_denied')).to.equal('?github=failed&reason=github-denied')
    const answers = await Promise.all(Array.from({ length: 5 }, () => end(other.state, other.cookie)))
    expect(
      answers.filter((reason) => reason === null),
      'of several at once one counts',
    ).to.have.length(1)
    await world.pool.query("update editor.install_states set expires_at = now() - interval '1 s'")
    const late = await begin()
    await world.pool.query("update editor.install_states set expires_at = now() - interval '1 s'")
    expect(await end(late.state, late.cookie), 'too late').to.equal('bad-state')
    for (const state of hostileTexts.filter((text) => text.isWellFormed() && text.length < 2500))
      expect(await end(state, 'x=y')).to.equal('bad-state')
    await world.service?.prune()
    expect((await world.pool.query('select 1 from editor.install_states')).rowCount).to.equal(0)
  })

  it('does not connect, show or change projects of other users', async () => {
    const { projectId: theirs, repo } = await world.connected('ella')
    const { who: mallory, repo: own, installationId } = await world.connected('mallory3')
    const publicOne = world.project(world.testUser('ella'), true)
    const before = world.github.requested.length
    for (const [projectId, status, code] of [
      [theirs, 404, 'no-project'],
      [publicOne, 403, 'not-your-project'],
      [randomUUID(), 404, 'no-project'],
    ] as const) {
      const bodies: Record<string, unknown> = {
        '/connect': {
          installation_id: installationId,
          owner: 'mallory3',
          repo: own.name,
          branch: 'main',
          network: 'testnet',
        },
        '/install': {},
        '/commit': { message: 'm', files: [{ path: 'a', content: 'a', action: 'create' }] },
        '/workflow': {},
        '/secrets': {
          environment_name: 'x',
          flow_address: '0x0000000000000001',
          flow_key_index: 0,
          key_id: 'k',
          encrypted_private_key: Buffer.alloc(112).toString('base64'),
        },
        '/promote': { from_branch: 'a', to_branch: 'b' },
        '/dispatch': { action: 'deploy' },
        '/environments': { name: 'a', branch: 'b', network: 'testnet' },
      }
      for (const [path, body] of Object.entries(bodies)) {
        const answer = await world.call(mallory, 'POST', path, { body: { project_id: projectId, ...(body as object) } })
        expect([answer.status, answer.body['code']], path).to.deep.equal([status, code])
      }
      for (const [method, path] of [
        ['GET', '/connection'],
        ['DELETE', '/connection'],
        ['GET', '/environments'],
        ['GET', '/secrets/key'],
        ['GET', '/deployments'],
        ['GET', '/tree/ella/contracts-of-ella'],
      ] as const) {
        expect(
          (await world.call(mallory, method, `${path}?project_id=${projectId}`)).status,
          `${method} ${path}`,
        ).to.equal(status)
      }
    }
    expect(world.github.requested.slice(before)).to.deep.equal([])
    expect(
      (await world.call(world.testUser('ella'), 'GET', `/connection?project_id=${theirs}`)).body['connection'],
    ).to.include({ repo: repo.name, is_on: true })
  })

  it('limits organization members to their own GitHub permissions', async () => {
    const org = world.github
    const open = org.repository('acme', 'open', { files: { a: 'a' }, isPrivate: false })
    const secret = org.repository('acme', 'secret', { files: { key: 'of the vault' } })
    const shared = org.repository('acme', 'shared', {
      files: { a: 'a' },
      collaborators: { finn: 'read', gwen: 'write' },
    })
    const { id } = org.install('acme', 'Organization', [open, secret, shared])
    const [finn, gwen] = [world.testUser('finn'), world.testUser('gwen')]
    await world.signInAtGitHub(finn, 'finn')
    await world.signInAtGitHub(gwen, 'gwen')
    expect((await world.call(finn, 'GET', `/repos?installation_id=${id}`)).body['repos']).to.satisfy(
      (repos: { name: string }[]) => repos.map(({ name }) => name).join() === 'open,shared',
    )
    const read = await world.call(finn, 'GET', `/file/acme/secret/key?installation_id=${id}`)
    expect([read.status, read.body['code'], read.text.includes('vault')]).to.deep.equal([403, 'no-right', false])
    expect((await world.call(finn, 'GET', `/file/acme/shared/a?installation_id=${id}`)).status).to.equal(200)
    const connect = (who: typeof finn, repo: string): Promise<{ status: number; body: Record<string, never> }> =>
      world.call(who, 'POST', '/connect', {
        body: {
          project_id: world.project(who),
          installation_id: id,
          owner: 'acme',
          repo,
          branch: 'main',
          network: 'testnet',
        },
      })
    for (const repo of ['open', 'secret', 'shared'])
      expect((await connect(finn, repo)).body['code'], repo).to.equal('no-right')
    const projectId = world.project(gwen)
    expect(
      (
        await world.call(gwen, 'POST', '/connect', {
          body: {
            project_id: projectId,
            installation_id: id,
            owner: 'acme',
            repo: 'shared',
            branch: 'main',
            network: 'testnet',
          },
        })
      ).status,
    ).to.equal(200)
    const commit = { project_id: projectId, message: 'm', files: [{ path: 'b', content: 'b', action: 'create' }] }
    expect((await world.call(gwen, 'POST', '/commit', { body: commit })).status).to.equal(200)
    await world.call(gwen, 'POST', '/environments', {
      body: { project_id: projectId, name: 'x', branch: 'main', network: 'testnet' },
    })
    const secrets = await world.call(gwen, 'POST', '/secrets', {
      body: {
        project_id: projectId,
        environment_name: 'x',
        flow_address: '0x0000000000000001',
        flow_key_index: 0,
        key_id: 'k',
        encrypted_private_key: Buffer.alloc(112).toString('base64'),
      },
    })
    expect([secrets.status, secrets.body['code']], 'secrets are for administrators').to.deep.equal([403, 'no-right'])
    shared.collaborators.set('gwen', 'read')
    expect(
      (await world.call(gwen, 'POST', '/commit', { body: commit })).body['code'],
      'access revoked at GitHub ends at once',
    ).to.equal('no-right')
  })

  it('does not follow a GitHub login to its new owner', async () => {
    const { who, projectId } = await world.connected('hugo')
    world.github.users.set('hugo', 424_242)
    expect(
      (
        await world.call(who, 'POST', '/commit', {
          body: { project_id: projectId, message: 'm', files: [{ path: 'b', content: 'b', action: 'create' }] },
        })
      ).body['code'],
    ).to.equal('no-right')
  })

  it('rejects repositories outside the installation', async () => {
    const outside = world.github.repository('iris', 'outside', { files: { a: 'a' } })
    const { who, installationId } = await world.connected('iris')
    const file = await world.call(who, 'GET', `/file/iris/${outside.name}/a?installation_id=${installationId}`)
    expect([file.status, file.body['code']]).to.deep.equal([403, 'not-installed'])
    const other = await world.call(
      who,
      'GET',
      `/file/anna/contracts-of-anna/README.md?installation_id=${installationId}`,
    )
    expect(other.status).to.equal(404)
  })

  it('never lets request text redirect calls to another address', async () => {
    const { who, projectId, installationId } = await world.connected('jane')
    const targets = [
      'http://169.254.169.254/latest',
      '//127.0.0.1:1',
      'http:%2f%2flocalhost',
      '@127.0.0.1',
      '..',
      '../..',
      '..%2f..%2fapp',
      'x?y=',
      'x#',
      '%0d%0aHost:%20x',
      '{+url}',
      ':owner',
    ]
    for (const target of [...targets, ...hostileTexts.filter((text) => text.isWellFormed())]) {
      const before = world.github.requested.length
      const encoded = encodeURIComponent(target)
      for (const path of [
        `/tree/${encoded}/contracts-of-jane?installation_id=${installationId}`,
        `/tree/jane/${encoded}?installation_id=${installationId}`,
        `/runs/jane/contracts-of-jane?installation_id=${installationId}&workflow=${encoded}`,
      ]) {
        const answer = await world.call(who, 'GET', path)
        expect(answer.status, `${path}: ${answer.text}`).to.satisfy((status: number) => status < 500)
      }
      await world.call(who, 'POST', '/connect', {
        body: {
          project_id: projectId,
          installation_id: installationId,
          owner: target,
          repo: target,
          branch: target,
          network: 'testnet',
          path: target,
        },
      })
      await world.call(who, 'POST', '/commit', {
        body: {
          project_id: projectId,
          branch: target,
          message: 'm',
          files: [{ path: 'a', content: 'a', action: 'create' }],
          url: target,
          baseUrl: target,
        },
      })
      for (const requested of world.github.requested.slice(before))
        expect(requested, target).to.match(
          /^\w+ \/(repos\/jane\/(contracts-of-jane|\w+)\b|app\/installations\/\d+\/access_tokens)/,
        )
    }
  })

  it('limits the request rate, with a retry time', async () => {
    const limited = await GitHubWorld.start({ limits: { client: 30, read: 3, write: 2, webhook: 2 } })
    try {
      const who = limited.testUser('kim')
      const statuses: number[] = []
      for (let i = 0; i < 4; i++) statuses.push((await limited.call(who, 'GET', '/installations')).status)
      for (let i = 0; i < 3; i++) statuses.push((await limited.call(who, 'POST', '/install', { body: {} })).status)
      expect(statuses).to.deep.equal([200, 200, 200, 429, 200, 200, 429])
      const hooks = [
        await limited.webhook('ping', {}),
        await limited.webhook('ping', {}),
        await limited.webhook('ping', {}),
      ]
      expect(hooks.map(({ status }) => status)).to.deep.equal([200, 200, 429])
      let last = 0
      for (let i = 0; i < 30; i++) last = (await limited.call(undefined, 'GET', '/installations')).status
      expect(last, 'without a token too').to.equal(429)
    } finally {
      await limited.stop()
    }
  })

  it('rejects unsupported methods', async () => {
    const wrong = await world.call(world.testUser('maya'), 'PUT', '/commit', { body: {} })
    expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'POST, OPTIONS'])
    expect((await world.call(world.testUser('maya'), 'GET', '/nothing')).status).to.equal(404)
    const unknown = await world.call(world.testUser('maya'), 'GET', '/installations?installation=1')
    expect([unknown.status, unknown.body['field']]).to.deep.equal([400, 'installation'])
  })

  it('never logs or returns a GitHub token or a private key', async () => {
    await world.connected('lena')
    expect(world.logged.length).to.be.greaterThan(10)
    const secrets = /gh[su]_[0-9a-f]{8}|PRIVATE KEY|the secret of the|[Bb]earer ey/
    expect(world.logged.filter((line) => secrets.test(line))).to.deep.equal([])
  })
})
