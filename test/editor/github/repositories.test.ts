import { expect } from 'chai'
import { pushWithModes } from '../../support/fake-repository.ts'
import { GitHubWorld } from './github-world.ts'

describe('editor repositories', () => {
  let world: GitHubWorld
  before(async () => {
    world = await GitHubWorld.start()
  })
  after(() => world.stop())

  it('come from installations that the user has proved to own', async () => {
    const { who, projectId, repo, installationId } = await world.connected('alice')
    const repos = await world.call(who, 'GET', `/repos?installation_id=${installationId}`)
    expect(repos.body).to.deep.equal({
      repos: [
        {
          id: repo.id,
          full_name: 'alice/contracts-of-alice',
          owner: 'alice',
          name: 'contracts-of-alice',
          default_branch: 'main',
          private: true,
        },
      ],
    })
    const connection = await world.call(who, 'GET', `/connection?project_id=${projectId}`)
    expect(connection.body['connection']).to.include({
      owner: 'alice',
      repo: 'contracts-of-alice',
      branch: 'main',
      network: 'testnet',
      is_on: true,
    })
    expect((await world.call(who, 'GET', '/installations')).body['installations']).to.have.length(1)
  })

  it('are listed across all pages', async () => {
    const who = world.testUser('collector')
    const repos = Array.from({ length: 230 }, (_, i) =>
      world.github.repository('collector', `r${i}`, { files: { a: 'b' } }),
    )
    const { id } = world.github.install('collector', 'User', repos)
    await world.signInAtGitHub(who, 'collector')
    expect((await world.call(who, 'GET', `/repos?installation_id=${id}`)).body['repos']).to.have.length(230)
  })

  it('serve nested files with encoded or plain slashes', async () => {
    const { who, projectId } = await world.connected('nina')
    for (const path of ['cadence/contracts/Foo.cdc', 'cadence%2Fcontracts%2FFoo.cdc']) {
      const file = await world.call(who, 'GET', `/file/nina/contracts-of-nina/${path}?project_id=${projectId}`)
      expect([file.status, file.body['path'], file.body['content']], path).to.deep.equal([
        200,
        'cadence/contracts/Foo.cdc',
        'access(all) contract Foo {}\n',
      ])
    }
    const tree = await world.call(who, 'GET', `/tree/nina/contracts-of-nina?project_id=${projectId}&path=cadence`)
    expect(tree.body['files']).to.have.length(1)
    expect((tree.body['files'] as unknown as { path: string }[])[0]).to.include({
      path: 'cadence/contracts',
      type: 'dir',
    })
  })

  it('serve any file name that Git allows, within the connected folder only', async () => {
    const repo = world.github.repository('uma', 'odd', { files: { 'a b/%2e?#&.cdc': 'odd', 'Ünï/😀.cdc': 'wide' } })
    const { who, projectId } = await world.connected('uma', repo)
    for (const [path, content] of [
      ['a b/%2e?#&.cdc', 'odd'],
      ['Ünï/😀.cdc', 'wide'],
    ]) {
      const file = await world.call(
        who,
        'GET',
        `/file/uma/odd/${encodeURIComponent(path ?? '')}?project_id=${projectId}`,
      )
      expect([file.status, file.body['content']], path).to.deep.equal([200, content])
    }
    for (const path of [
      '..%2f..%2fuser',
      'a%2f..%2f..%2fb',
      '%2e%2e%2fx',
      'a%00b',
      'a%5cb',
      '.git/config',
      '%2fetc%2fpasswd',
      'a//b',
      'a%E2%80%AEb',
    ]) {
      const before = world.github.requested.length
      expect((await world.call(who, 'GET', `/file/uma/odd/${path}?project_id=${projectId}`)).status, path).to.be.oneOf([
        400, 404,
      ])
      expect(world.github.requested.slice(before), path).to.deep.equal([])
    }
  })

  it('receive one commit on top of the current head', async () => {
    const { who, projectId, repo } = await world.connected('carl')
    const head = repo.refs.get('main')
    const commit = await world.call(who, 'POST', '/commit', {
      body: {
        project_id: projectId,
        message: 'Two at once',
        expected_head: head,
        files: [
          { path: 'cadence/contracts/Bar.cdc', content: 'bar', action: 'create' },
          { path: 'README.md', content: 'new', action: 'update' },
          { path: 'cadence/contracts/Foo.cdc', action: 'delete' },
        ],
      },
    })
    expect(commit.status, commit.text).to.equal(200)
    expect(commit.body['sha']).to.equal(repo.refs.get('main'))
    expect(world.github.files(repo)).to.deep.equal({ 'README.md': 'new', 'cadence/contracts/Bar.cdc': 'bar' })
    expect(repo.commits.get(repo.refs.get('main') ?? '')?.parents).to.deep.equal([head])
  })

  it('are not overwritten after a concurrent change', async () => {
    const { who, projectId, repo } = await world.connected('dora')
    const seen = repo.refs.get('main')
    const theirs = world.github.push(repo, 'main', { 'README.md': 'theirs' })
    const files = [{ path: 'README.md', content: 'mine', action: 'update' }]
    const late = await world.call(who, 'POST', '/commit', {
      body: { project_id: projectId, message: 'm', expected_head: seen, files },
    })
    expect([late.status, late.body['code']]).to.deep.equal([409, 'branch-moved'])
    expect(late.text).to.include(theirs)
    // Also between the read and the write.
    world.github.before = {
      part: '/git/refs/heads/main',
      run: () => void world.github.push(repo, 'main', { 'README.md': 'theirs again' }),
    }
    const race = await world.call(who, 'POST', '/commit', {
      body: { project_id: projectId, message: 'm', expected_head: theirs, files },
    })
    expect([race.status, race.body['code']]).to.deep.equal([409, 'branch-moved'])
    expect(world.github.files(repo)['README.md']).to.equal('theirs again')
  })

  it('lose no changes of concurrent commits', async () => {
    const { who, projectId, repo } = await world.connected('cleo')
    const names = Array.from({ length: 8 }, (_, i) => `f${i}.cdc`)
    const answers = await Promise.all(
      names.map((path) =>
        world.call(who, 'POST', '/commit', {
          body: { project_id: projectId, message: path, files: [{ path, content: path, action: 'create' }] },
        }),
      ),
    )
    const made = names.filter((_, i) => answers[i]?.status === 200)
    expect(made.length).to.be.greaterThan(0)
    for (const { status, body } of answers) expect(status === 200 || body['code'] === 'branch-moved').to.equal(true)
    expect(
      Object.keys(world.github.files(repo)).filter((path) => /^f\d/.test(path)),
      'exactly the confirmed ones exist',
    ).to.have.members(made)
  })

  it('have one connection per project, also for concurrent requests', async () => {
    const { who, projectId, repo, installationId } = await world.connected('rosa')
    const other = world.github.repository('rosa', 'other', { files: { a: 'a' } })
    world.github.installations.get(installationId)?.repositories.add(other.id)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        world.call(who, 'POST', '/connect', {
          body: {
            project_id: projectId,
            installation_id: installationId,
            owner: 'rosa',
            repo: i % 2 === 0 ? repo.name : 'other',
            branch: 'main',
            network: 'testnet',
          },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(12).fill(200))
    const { rows } = await world.pool.query('select repo from editor.connections where project_id = $1', [projectId])
    expect(rows).to.have.length(1)
  })

  it('get an initial commit if empty, and new branches from the default branch', async () => {
    const empty = world.github.repository('eva', 'empty')
    const { who, projectId } = await world.connected('eva', empty)
    expect((await world.call(who, 'GET', `/tree/eva/empty?project_id=${projectId}`)).body).to.deep.equal({ files: [] })
    expect((await world.call(who, 'GET', `/commits/eva/empty?project_id=${projectId}`)).body).to.deep.equal({
      commits: [],
    })
    const files = [
      { path: 'a/A.cdc', content: 'a', action: 'create' },
      { path: 'b.cdc', content: 'b', action: 'create' },
    ]
    const first = await world.call(who, 'POST', '/commit', {
      body: { project_id: projectId, message: 'first', files, expected_head: null },
    })
    expect(first.status, first.text).to.equal(200)
    expect(world.github.files(empty)).to.deep.equal({ 'a/A.cdc': 'a', 'b.cdc': 'b' })
    const branch = await world.call(who, 'POST', '/commit', {
      body: {
        project_id: projectId,
        branch: 'try/it',
        message: 'more',
        files: [{ path: 'c.cdc', content: 'c', action: 'create' }],
      },
    })
    expect(branch.status, branch.text).to.equal(200)
    expect(Object.keys(world.github.files(empty, 'try/it'))).to.deep.equal(['a/A.cdc', 'b.cdc', 'c.cdc'])
    expect(Object.keys(world.github.files(empty)), 'the default branch stays').to.deep.equal(['a/A.cdc', 'b.cdc'])
    expect((await world.call(who, 'GET', `/commits/eva/empty?project_id=${projectId}`)).body['commits']).to.have.length(
      2,
    )
  })

  it('are not treated as empty when GitHub fails', async () => {
    const { who, projectId, repo } = await world.connected('fred')
    const head = repo.refs.get('main')
    for (const answer of [
      [500, { message: 'oops' }],
      [403, { message: 'Resource not accessible by integration' }],
      [409, { message: 'Conflict' }],
    ] as const) {
      world.github.faults.push({ part: '/git/ref/heads/main', answer, times: 1 })
      const commit = await world.call(who, 'POST', '/commit', {
        body: { project_id: projectId, message: 'm', files: [{ path: 'x', content: 'x', action: 'create' }] },
      })
      expect(commit.status, commit.text).to.be.oneOf([403, 409, 503])
    }
    expect(repo.refs.get('main')).to.equal(head)
    expect(world.github.requested.filter((one) => one.startsWith('PUT /repos/fred'))).to.deep.equal([])
  })

  it('retain files outside the commit', async () => {
    const { who, projectId, repo } = await world.connected('gina')
    const bad: [string, number][] = [
      ['../x', 400],
      ['a/../../x', 400],
      ['/x', 400],
      ['.git/config', 400],
      ['.GIT/hooks/pre-commit', 400],
      ['.git./x', 400],
      ['GIT~1/x', 400],
      ['.g\u200Dit/x', 400],
      ['a\\b', 400],
      ['a\u202Eb', 400],
      ['a\0b', 400],
      ['', 400],
      ['a//b', 400],
      ['e\u0301', 400],
      ['.github/workflows/x.yml', 422],
      ['.GitHub/Workflows/x.yml', 422],
      ['cadence', 409],
      ['README.md/x', 409],
      ['README.md', 409],
    ]
    for (const [path, status] of bad) {
      const answer = await world.call(who, 'POST', '/commit', {
        body: { project_id: projectId, message: 'm', files: [{ path, content: 'x', action: 'create' }] },
      })
      expect(answer.status, `${JSON.stringify(path)}: ${answer.text}`).to.equal(status)
    }
    const gone = await world.call(who, 'POST', '/commit', {
      body: { project_id: projectId, message: 'm', files: [{ path: 'nothing', action: 'delete' }] },
    })
    expect([gone.status, gone.body['code']]).to.deep.equal([409, 'file-missing'])
    repo.protectedBranches.add('main')
    const refused = await world.call(who, 'POST', '/commit', {
      body: { project_id: projectId, message: 'm', files: [{ path: 'ok', content: 'x', action: 'create' }] },
    })
    expect([refused.status, refused.text.includes('Repository rule violations')]).to.deep.equal([422, true])
    expect(Object.keys(world.github.files(repo))).to.deep.equal(['README.md', 'cadence/contracts/Foo.cdc'])
  })

  it('report symbolic links and preserve them', async () => {
    const { who, projectId, repo } = await world.connected('lena')
    pushWithModes(repo, 'main', {
      'libs/link': ['120000', '../README.md'],
      'libs/sub': ['160000', ''],
      'libs/run.sh': ['100755', 'run'],
    })
    const { body } = await world.call(who, 'GET', `/tree/lena/contracts-of-lena?project_id=${projectId}&path=libs`)
    expect(
      (body['files'] as unknown as { name: string; type: string; size: number | null }[]).map(
        ({ name, type, size }) => [name, type, size],
      ),
    ).to.deep.equal([
      ['link', 'symlink', null],
      ['sub', 'submodule', null],
      ['run.sh', 'file', 3],
    ])
    for (const maxEntries of [100_000, 1]) {
      repo.maxEntries = maxEntries
      const tried: (readonly [string, string, string])[] = [
        ['libs/link', 'put', 'path-clash'],
        ['libs/sub', 'put', 'path-clash'],
        ['libs/sub/x', 'put', 'path-clash'],
        ['libs', 'put', 'path-clash'],
        ['libs/run.sh', 'create', 'file-exists'],
        ['libs/none', 'update', 'file-missing'],
      ]
      for (const [path, action, code] of tried) {
        const answer = await world.call(who, 'POST', '/commit', {
          body: { project_id: projectId, message: 'm', files: [{ path, content: 'x', action }] },
        })
        expect(
          [answer.status, answer.body['code']],
          `${path} where ${maxEntries} entries are listed at once`,
        ).to.deep.equal([409, code])
      }
      const put = await world.call(who, 'POST', '/commit', {
        body: {
          project_id: projectId,
          message: 'm',
          files: [
            { path: 'libs/run.sh', content: `of ${maxEntries}`, action: 'update' },
            { path: `new/deep/${maxEntries}`, content: 'x', action: 'create' },
          ],
        },
      })
      expect(put.status, put.text).to.equal(200)
      expect(
        repo.trees.get(repo.commits.get(repo.refs.get('main') ?? '')?.tree ?? '')?.get('libs/run.sh'),
      ).to.deep.equal({ mode: '100755', bytes: Buffer.from(`of ${maxEntries}`) })
    }
  })

  it('are accessed with tokens scoped to one repository and operation', async () => {
    const { who, projectId } = await world.connected('hans')
    world.github.grants.length = 0
    await world.call(who, 'GET', `/file/hans/contracts-of-hans/README.md?project_id=${projectId}`)
    await world.call(who, 'GET', `/file/hans/contracts-of-hans/README.md?project_id=${projectId}`)
    expect(world.github.grants, 'they are cached').to.deep.equal([
      { permissions: { contents: 'read' }, repositories: ['contracts-of-hans'] },
    ])
    await world.call(who, 'POST', '/commit', {
      body: { project_id: projectId, message: 'm', files: [{ path: 'x', content: 'x', action: 'create' }] },
    })
    expect(world.github.grants.at(-1)).to.deep.equal({
      permissions: { contents: 'write' },
      repositories: ['contracts-of-hans'],
    })
    world.github.revokeTokens()
    const again = await world.call(who, 'GET', `/file/hans/contracts-of-hans/README.md?project_id=${projectId}`)
    expect([again.status, again.body['content']], 'a revoked one is replaced').to.deep.equal([200, 'Read me\n'])
  })

  it('report GitHub rate limits and outages', async () => {
    const { who, projectId } = await world.connected('ines')
    const path = `/file/ines/contracts-of-ines/README.md?project_id=${projectId}`
    const limits: [Record<string, string>, number, string][] = [
      [{ 'retry-after': '7' }, 403, '7'],
      [{ 'retry-after': '9' }, 429, '9'],
      [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, 403, '1'],
    ]
    for (const [headers, status, wait] of limits) {
      world.github.faults.push({
        part: '/contents/',
        answer: [status, { message: 'You have exceeded a secondary rate limit' }, headers],
        times: 1,
      })
      const answer = await world.call(who, 'GET', path)
      expect([answer.status, answer.body['code'], answer.headers.get('retry-after')]).to.deep.equal([
        429,
        'github-rate-limited',
        wait,
      ])
    }
    world.github.faults.push({ part: '/contents/', answer: [502, { message: 'bad gateway' }], times: 1 })
    expect((await world.call(who, 'GET', path)).body['code']).to.equal('github-unavailable')
    expect((await world.call(who, 'GET', path)).status).to.equal(200)
  })

  it('promote a branch once and start deployments', async () => {
    const { who, projectId, repo } = await world.connected('jo')
    world.github.push(repo, 'dev', { 'README.md': 'dev' })
    const promote = { project_id: projectId, from_branch: 'dev', to_branch: 'main' }
    expect((await world.call(who, 'POST', '/promote', { body: promote })).body).to.include({
      pr_number: 1,
      is_new: true,
    })
    expect((await world.call(who, 'POST', '/promote', { body: promote })).body).to.include({
      pr_number: 1,
      is_new: false,
    })
    expect((await world.call(who, 'POST', '/promote', { body: { ...promote, from_branch: 'none' } })).status).to.equal(
      422,
    )
    expect(
      (await world.call(who, 'POST', '/dispatch', { body: { project_id: projectId, action: 'deploy' } })).body['code'],
    ).to.equal('no-workflow')
    const workflow = await world.call(who, 'POST', '/workflow', { body: { project_id: projectId } })
    expect(workflow.body['secrets_needed']).to.deep.equal([
      'FLOW_PRIVATE_KEY_TESTNET',
      'FLOW_ADDRESS_TESTNET',
      'FLOW_KEY_INDEX_TESTNET',
      'RUNNER_WEBHOOK_URL',
      'RUNNER_WEBHOOK_SECRET',
    ])
    expect(world.github.files(repo)['.github/workflows/flow-deploy.yml']).to.include("github.ref == 'refs/heads/main'")
    const dispatch = await world.call(who, 'POST', '/dispatch', {
      body: { project_id: projectId, action: 'rollback', commit_sha: 'a'.repeat(40) },
    })
    expect(dispatch.status, dispatch.text).to.equal(200)
    expect(repo.dispatches).to.deep.equal([{ ref: 'main', inputs: { action: 'rollback', commit_sha: 'a'.repeat(40) } }])
    expect(
      (await world.call(who, 'POST', '/dispatch', { body: { project_id: projectId, action: 'rollback' } })).status,
    ).to.equal(400)
  })
})
