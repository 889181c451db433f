import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importSPKI, jwtVerify } from 'jose'
import sodium from 'libsodium-wrappers'
import { addCommit, addTree, blobSha, pushWithModes, treeOf, within } from './fake-repository.ts'
import type { FakeRepository } from './fake-repository.ts'

interface Installation {
  readonly id: number
  readonly account: { readonly id: number; readonly login: string; readonly type: string }
  readonly repositories: Set<number>
  isSuspended: boolean
}
interface Token {
  readonly installation?: Installation
  readonly login?: string
  readonly permissions: Readonly<Record<string, string>>
  readonly repositories: ReadonlySet<number>
}
interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
  readonly token: Token | undefined
  readonly headers: IncomingMessage['headers']
}
type Answer = readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>]

const webhookSecret = 'the secret of the webhooks'
const clientSecret = 'the secret of the client'

/**
 * A stateful GitHub over HTTP: checks the App's JWTs, limits tokens to the requested permissions,
 * and stores commits.
 */
export class FakeGitHub {
  readonly app = { appId: '4711', slug: 'flow-editor', clientId: 'Iv1.fake', clientSecret, webhookSecret }
  readonly privateKey: string
  readonly users = new Map<string, number>()
  readonly installations = new Map<number, Installation>()
  readonly repositories: FakeRepository[] = []
  readonly requested: string[] = []
  readonly grants: {
    readonly permissions: Readonly<Record<string, string>>
    readonly repositories: readonly string[] | undefined
  }[] = []
  /** Responses that replace the default one for paths that contain `part`. */
  readonly faults: { readonly part: string; readonly answer: Answer; times: number }[] = []
  /** The GitHub user in the redirected browser. Undefined: the user denies access. */
  visitor: string | undefined
  callbackUrl = ''
  /** Runs once before a request is processed. */
  before: { readonly part: string; readonly run: () => void } | undefined
  readonly #publicKey: string
  readonly #codes = new Map<string, string>()
  readonly #tokens = new Map<string, Token>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #nextId = 1000

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    })
    this.privateKey = privateKey
    this.#publicKey = publicKey
  }

  async start(): Promise<this> {
    await sodium.ready
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  userId(login: string): number {
    const id = this.users.get(login) ?? this.#nextId++
    this.users.set(login, id)
    return id
  }

  /** An OAuth code for a user, as GitHub's redirect has it. */
  codeFor(login: string): string {
    const code = randomBytes(10).toString('hex')
    this.#codes.set(code, login)
    return code
  }

  install(login: string, type: 'User' | 'Organization', repositories: readonly FakeRepository[]): Installation {
    const installation: Installation = {
      id: this.#nextId++,
      account: { id: this.userId(login), login, type },
      repositories: new Set(repositories.map(({ id }) => id)),
      isSuspended: false,
    }
    this.installations.set(installation.id, installation)
    return installation
  }

  repository(
    owner: string,
    name: string,
    {
      files,
      isPrivate = true,
      collaborators = {},
    }: {
      readonly files?: Readonly<Record<string, string>>
      readonly isPrivate?: boolean
      readonly collaborators?: Readonly<Record<string, string>>
    } = {},
  ): FakeRepository {
    this.userId(owner)
    const repository: FakeRepository = {
      id: this.#nextId++,
      owner,
      name,
      isPrivate,
      defaultBranch: 'main',
      refs: new Map(),
      commits: new Map(),
      trees: new Map(),
      maxEntries: 100_000,
      collaborators: new Map([[owner, 'admin'], ...Object.entries(collaborators)]),
      secrets: new Map(),
      secretKeys: sodium.crypto_box_keypair(),
      protectedBranches: new Set(),
      pulls: [],
      dispatches: [],
    }
    this.repositories.push(repository)
    if (files !== undefined) this.push(repository, 'main', files)
    return repository
  }

  /** Commits as another client does. @returns the commit */
  push(repository: FakeRepository, branch: string, files: Readonly<Record<string, string>>): string {
    return pushWithModes(
      repository,
      branch,
      Object.fromEntries(Object.entries(files).map(([path, text]) => [path, ['100644', text] as const])),
    )
  }

  /** File contents of a branch by path. */
  files(repository: FakeRepository, branch = 'main'): Record<string, string> {
    const head = repository.refs.get(branch)
    return head === undefined
      ? {}
      : Object.fromEntries([...treeOf(repository, head)].map(([path, { bytes }]) => [path, bytes.toString()]))
  }

  /** A repository secret, decrypted with its key. */
  secret({ secrets, secretKeys: { publicKey, privateKey } }: FakeRepository, name: string): string | undefined {
    const sealed = secrets.get(name)
    return sealed === undefined
      ? undefined
      : Buffer.from(sodium.crypto_box_seal_open(Buffer.from(sealed, 'base64'), publicKey, privateKey)).toString()
  }

  /** Headers and body of an event, signed as GitHub does. */
  event(
    name: string,
    payload: unknown,
    secret = webhookSecret,
  ): { readonly headers: Record<string, string>; readonly body: string } {
    const body = JSON.stringify(payload)
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    return {
      headers: {
        'content-type': 'application/json',
        'x-github-event': name,
        'x-github-delivery': crypto.randomUUID(),
        'x-hub-signature-256': signature,
      },
      body,
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', this.url)
    const text = Buffer.concat(chunks).toString()
    const method = request.method ?? 'GET'
    this.requested.push(`${method} ${path}`)
    if (this.before !== undefined && path.includes(this.before.part)) {
      const { run } = this.before
      this.before = undefined
      run()
    }
    const fault = this.faults.find(({ part, times }) => times > 0 && path.includes(part))
    if (fault !== undefined) fault.times--
    const token = this.#tokens.get(/^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '')
    const [status, body, headers = {}] =
      fault?.answer ??
      (await this.#answer({
        method,
        path,
        query,
        token,
        headers: request.headers,
        body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
      }))
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }

  async #answer(call: Call): Promise<Answer> {
    const { method, path, token, body } = call
    if (path === '/login/oauth/access_token') return this.#trade(body)
    if (path === '/login/oauth/authorize' || path === `/apps/${this.app.slug}/installations/new`)
      return this.#sendBack(call.query.get('state') ?? '')
    const forToken = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path)
    if (forToken !== null && method === 'POST') return this.#giveToken(call, Number(forToken[1]))
    if (token === undefined) return [401, { message: 'Bad credentials' }]
    if (token.installation?.isSuspended === true) return [403, { message: 'This installation has been suspended' }]
    if (path.startsWith('/user')) return this.#ofUser(call, token)
    if (path === '/installation/repositories') {
      const all = this.repositories.filter(({ id }) => token.repositories.has(id))
      return [200, { total_count: all.length, repositories: page(all, call.query).map((one) => this.#present(one)) }]
    }
    const [, owner = '', name = '', rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? []
    const repository = this.repositories.find(
      (one) => one.owner.toLowerCase() === owner.toLowerCase() && one.name.toLowerCase() === name.toLowerCase(),
    )
    if (repository === undefined || !token.repositories.has(repository.id)) return notFound
    return this.#ofRepository(call, token, repository, rest)
  }

  #sendBack(state: string): Answer {
    const reported = new URLSearchParams(
      this.visitor === undefined
        ? { state, error: 'access_denied' }
        : { state, code: this.codeFor(this.visitor), setup_action: 'install' },
    )
    return [302, undefined, { location: `${this.callbackUrl}?${reported.toString()}` }]
  }

  #trade({ client_id: id, client_secret: secret, code }: Record<string, unknown>): Answer {
    const login = id === this.app.clientId && secret === clientSecret ? this.#codes.get(String(code)) : undefined
    this.#codes.delete(String(code))
    if (login === undefined)
      return [200, { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }]
    return [
      200,
      {
        access_token: this.#addToken({ login, permissions: {}, repositories: new Set() }, 'ghu_'),
        token_type: 'bearer',
      },
    ]
  }

  async #giveToken({ headers, body }: Call, id: number): Promise<Answer> {
    try {
      const jwt = /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
      await jwtVerify(jwt, await importSPKI(this.#publicKey, 'RS256'), {
        issuer: this.app.appId,
        algorithms: ['RS256'],
        maxTokenAge: '11m',
      })
    } catch {
      return [401, { message: 'A JSON web token could not be decoded' }]
    }
    const installation = this.installations.get(id)
    if (installation === undefined) return notFound
    if (installation.isSuspended) return [403, { message: 'This installation has been suspended' }]
    const names = body['repositories'] as readonly string[] | undefined
    const own = this.repositories.filter((one) => installation.repositories.has(one.id))
    const chosen =
      names === undefined
        ? own
        : own.filter(({ name }) => names.some((wanted) => wanted.toLowerCase() === name.toLowerCase()))
    if (names !== undefined && chosen.length < names.length)
      return [
        422,
        {
          message:
            'There is at least one repository that does not exist or is not accessible to the parent installation.',
        },
      ]
    const permissions = (body['permissions'] ?? {}) as Record<string, string>
    this.grants.push({ permissions, repositories: names })
    const token = this.#addToken(
      { installation, permissions, repositories: new Set(chosen.map((one) => one.id)) },
      'ghs_',
    )
    return [
      201,
      {
        token,
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        permissions,
        repository_selection: 'selected',
      },
    ]
  }

  /** As GitHub does when an installation changes. */
  revokeTokens(): void {
    this.#tokens.clear()
  }

  #addToken(token: Token, prefix: string): string {
    const text = prefix + randomBytes(20).toString('hex')
    this.#tokens.set(text, token)
    return text
  }

  #ofUser({ path, query }: Call, { login }: Token): Answer {
    if (login === undefined) return [403, { message: 'Resource not accessible by integration' }]
    if (path === '/user') return [200, { id: this.userId(login), login }]
    const mine = [...this.installations.values()].filter(
      (one) =>
        one.account.login === login ||
        this.repositories.some((repo) => one.repositories.has(repo.id) && repo.collaborators.has(login)),
    )
    if (path === '/user/installations') {
      return [
        200,
        {
          total_count: mine.length,
          installations: page(mine, query).map(({ id, account, isSuspended }) => ({
            id,
            account,
            suspended_at: isSuspended ? new Date().toISOString() : null,
          })),
        },
      ]
    }
    const one = mine.find(({ id }) => path === `/user/installations/${id}/repositories`)
    if (one === undefined) return notFound
    const seen = this.repositories.filter((repo) => one.repositories.has(repo.id) && repo.collaborators.has(login))
    return [200, { total_count: seen.length, repositories: page(seen, query).map((repo) => this.#present(repo)) }]
  }

  #ofRepository({ method, query, body }: Call, { permissions }: Token, repo: FakeRepository, rest: string): Answer {
    const may = (name: string, level: 'read' | 'write'): boolean =>
      permissions[name] === 'write' || permissions[name] === level
    const parts = rest.split('/').slice(1).map(decodeURIComponent)
    const [area = '', second = '', ...more] = parts
    if (rest === '') return [200, this.#present(repo)]
    if (area === 'collaborators' && more[0] === 'permission') {
      if (!may('metadata', 'read')) return forbidden
      return [
        200,
        {
          permission: repo.collaborators.get(second) ?? (repo.isPrivate ? 'none' : 'read'),
          user: { id: this.users.get(second) ?? 0, login: second },
        },
      ]
    }
    if (area === 'actions' && second === 'secrets') {
      if (!may('secrets', method === 'GET' ? 'read' : 'write')) return forbidden
      if (method === 'GET')
        return [200, { key_id: `key of ${repo.id}`, key: Buffer.from(repo.secretKeys.publicKey).toString('base64') }]
      if (body['key_id'] !== `key of ${repo.id}`) return [422, { message: 'Bad key' }]
      repo.secrets.set(more[0] ?? '', String(body['encrypted_value']))
      return [201, {}]
    }
    if (area === 'actions') {
      if (!may('actions', method === 'GET' ? 'read' : 'write')) return forbidden
      if (method === 'GET') return [200, { total_count: 0, workflow_runs: [] }]
      repo.dispatches.push(body)
      return [204]
    }
    if (area === 'pulls') {
      if (!may('pull_requests', method === 'GET' ? 'read' : 'write')) return forbidden
      if (method === 'GET')
        return [
          200,
          repo.pulls
            .filter(({ head, base }) => `${repo.owner}:${head}` === query.get('head') && base === query.get('base'))
            .map((one) => this.#presentPull(repo, one)),
        ]
      const { head, base, title } = body as { readonly head: string; readonly base: string; readonly title: string }
      if (!repo.refs.has(head) || !repo.refs.has(base))
        return [422, { message: 'Validation Failed', errors: [{ field: 'head', code: 'invalid' }] }]
      if (repo.pulls.some((one) => one.head === head && one.base === base))
        return [
          422,
          {
            message: 'Validation Failed',
            errors: [{ message: `A pull request already exists for ${repo.owner}:${head}.` }],
          },
        ]
      const pull = { number: repo.pulls.length + 1, head, base, title }
      repo.pulls.push(pull)
      return [201, this.#presentPull(repo, pull)]
    }
    if (!may('contents', method === 'GET' ? 'read' : 'write')) return forbidden
    if (area === 'contents') return this.#contents(method, repo, parts.slice(1).join('/'), query.get('ref'), body)
    if (area === 'commits')
      return repo.refs.size === 0 ? emptyRepository : [200, this.#history(repo, query.get('sha') ?? repo.defaultBranch)]
    return this.#git(method, repo, [second, ...more], {
      body,
      isRecursive: query.has('recursive'),
      mayWriteWorkflows: may('workflows', 'write'),
    })
  }

  #contents(
    method: string,
    repo: FakeRepository,
    path: string,
    ref: string | null,
    body: Record<string, unknown>,
  ): Answer {
    if (method === 'PUT') {
      const sha = this.push(repo, String(body['branch']), {
        [path]: Buffer.from(String(body['content']), 'base64').toString(),
      })
      return [201, { commit: { sha, html_url: this.#web(repo, sha) } }]
    }
    const head = repo.refs.get(ref ?? repo.defaultBranch) ?? (repo.commits.has(ref ?? '') ? ref : undefined)
    if (head === undefined || head === null)
      return repo.refs.size === 0
        ? [404, { message: 'This repository is empty.' }]
        : [404, { message: `No commit found for the ref ${ref}` }]
    const tree = treeOf(repo, head)
    const blob = tree.get(path)
    if (blob !== undefined) {
      return [
        200,
        {
          type: 'file',
          name: path.split('/').at(-1),
          path,
          sha: blobSha(blob.bytes),
          size: blob.bytes.length,
          encoding: 'base64',
          content: blob.bytes.toString('base64').replaceAll(/(.{60})/g, '$1\n'),
        },
      ]
    }
    const within = [...tree].filter(([at]) => path === '' || at.startsWith(`${path}/`))
    if (within.length === 0) return notFound
    const names = new Set(within.map(([at]) => at.slice(path === '' ? 0 : path.length + 1).split('/', 1)[0] ?? ''))
    return [
      200,
      [...names].map((name) => {
        const at = path === '' ? name : `${path}/${name}`
        const file = tree.get(at)
        // As on GitHub: a submodule is a file in a list, without a URL.
        const download = file === undefined || file.mode === '160000' ? null : `${this.url}/raw/${at}`
        const type = file === undefined ? 'dir' : file.mode === '120000' ? 'symlink' : 'file'
        return {
          name,
          path: at,
          type,
          download_url: download,
          sha: file === undefined ? '0'.repeat(40) : blobSha(file.bytes),
          size: file?.bytes.length ?? 0,
        }
      }),
    ]
  }

  #git(
    method: string,
    repo: FakeRepository,
    [kind = '', ...rest]: readonly string[],
    {
      body,
      isRecursive,
      mayWriteWorkflows,
    }: { readonly body: Record<string, unknown>; readonly isRecursive: boolean; readonly mayWriteWorkflows: boolean },
  ): Answer {
    if (repo.refs.size === 0) return emptyRepository
    const branch = rest.join('/').replace(/^heads\//, '')
    if (kind === 'ref' && method === 'GET') {
      const sha = repo.refs.get(branch)
      return sha === undefined ? notFound : [200, { ref: `refs/heads/${branch}`, object: { sha, type: 'commit' } }]
    }
    if (kind === 'refs' && method === 'POST') {
      const name = String(body['ref']).replace(/^refs\/heads\//, '')
      if (repo.refs.has(name)) return [422, { message: 'Reference already exists' }]
      repo.refs.set(name, String(body['sha']))
      return [201, { ref: body['ref'] }]
    }
    if (kind === 'refs' && method === 'PATCH') {
      const [sha, head] = [String(body['sha']), repo.refs.get(branch)]
      if (head === undefined) return [422, { message: 'Reference does not exist' }]
      if (repo.protectedBranches.has(branch)) return [422, { message: 'Repository rule violations found' }]
      if (body['force'] !== true && repo.commits.get(sha)?.parents.includes(head) !== true)
        return [422, { message: 'Update is not a fast forward' }]
      repo.refs.set(branch, sha)
      return [200, { ref: `refs/heads/${branch}` }]
    }
    if (kind === 'commits' && method === 'GET') {
      const commit = repo.commits.get(rest[0] ?? '')
      return commit === undefined
        ? notFound
        : [200, { sha: rest[0], html_url: this.#web(repo, rest[0] ?? ''), tree: { sha: commit.tree } }]
    }
    if (kind === 'commits') {
      const sha = addCommit(repo, String(body['tree']), body['parents'] as string[], String(body['message']))
      return [201, { sha, html_url: this.#web(repo, sha), tree: { sha: body['tree'] } }]
    }
    if (kind === 'trees' && method === 'GET') {
      const tree = repo.trees.get(rest[0] ?? '')
      if (tree === undefined) return notFound
      const folders = new Set(
        [...tree.keys()].flatMap((path) =>
          path
            .split('/')
            .slice(0, -1)
            .map((_, at, all) => all.slice(0, at + 1).join('/')),
        ),
      )
      const blobs = [...tree].map(([path, { mode }]) => ({
        path,
        mode,
        type: mode === '160000' ? 'commit' : 'blob',
        sha: '0'.repeat(40),
      }))
      const all = [
        ...blobs,
        ...[...folders].map((path) => ({ path, mode: '040000', type: 'tree', sha: addTree(repo, within(tree, path)) })),
      ]
      if (!isRecursive)
        return [200, { sha: rest[0], truncated: false, tree: all.filter(({ path }) => !path.includes('/')) }]
      return [200, { sha: rest[0], truncated: all.length > repo.maxEntries, tree: all.slice(0, repo.maxEntries) }]
    }
    if (kind !== 'trees') return notFound
    const next = new Map(repo.trees.get(String(body['base_tree'])))
    for (const { path, mode, content } of body['tree'] as {
      readonly path: string
      readonly mode: string
      readonly content?: string
    }[]) {
      if (/^\.github\/workflows\//i.test(path) && !mayWriteWorkflows) return forbidden
      if (content === undefined && !next.delete(path)) return [422, { message: 'GitRPC::BadObjectState' }]
      if (content !== undefined) next.set(path, { mode, bytes: Buffer.from(content) })
    }
    return [201, { sha: addTree(repo, next) }]
  }

  #history(repo: FakeRepository, branch: string): unknown[] {
    const list: unknown[] = []
    for (let sha = repo.refs.get(branch); sha !== undefined;) {
      const commit = repo.commits.get(sha)
      list.push({
        sha,
        html_url: this.#web(repo, sha),
        commit: { message: commit?.message ?? '', author: { name: 'Somebody', date: '2026-01-01T00:00:00Z' } },
        author: null,
      })
      sha = commit?.parents[0]
    }
    return list
  }

  #present(repo: FakeRepository): unknown {
    return {
      id: repo.id,
      name: repo.name,
      full_name: `${repo.owner}/${repo.name}`,
      owner: { id: this.userId(repo.owner), login: repo.owner },
      default_branch: repo.defaultBranch,
      private: repo.isPrivate,
    }
  }

  #presentPull(repo: FakeRepository, { number, title }: FakeRepository['pulls'][number]): unknown {
    return { number, title, html_url: `${this.url}/${repo.owner}/${repo.name}/pull/${number}` }
  }

  #web(repo: FakeRepository, sha: string): string {
    return `${this.url}/${repo.owner}/${repo.name}/commit/${sha}`
  }
}

const notFound: Answer = [404, { message: 'Not Found' }]
const forbidden: Answer = [403, { message: 'Resource not accessible by integration' }]
const emptyRepository: Answer = [409, { message: 'Git Repository is empty.' }]

function page<T>(all: readonly T[], query: URLSearchParams): readonly T[] {
  const [size, at] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)]
  return all.slice((at - 1) * size, at * size)
}
