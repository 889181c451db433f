import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { addressList, clientReader } from '../../../src/platform/limits/clients.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { createGitHub } from '../../../src/editor/github/create-github.ts'
import type { GitHub, GitHubOptions } from '../../../src/editor/github/create-github.ts'
import { createDeployFeed } from '../../../src/editor/github/deploy-feed.ts'
import { createPool } from '../../../src/platform/db/pool.ts'
import type { RunningDeployFeed } from '../../../src/editor/github/deploy-feed.ts'
import { createEditorServer } from '../../../src/editor/editor-server.ts'
import type { ProjectAccess } from '../../../src/editor/projects/read-projects.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FakeGitHub } from '../../support/fake-github.ts'
import type { FakeRepository } from '../../support/fake-repository.ts'

/** A user of the editor. The access token is `token of <name>`. */
export interface TestUser {
  readonly name: string
  readonly userId: string
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Each test checks the response shape itself.
  readonly body: Record<string, never>
}

const manyTimes = { client: 100_000, read: 100_000, write: 100_000, webhook: 100_000 }

/** The editor server with repositories and a fake GitHub. */
export class GitHubWorld {
  readonly github = new FakeGitHub()
  readonly users = new Map<string, TestUser>()
  readonly projects = new Map<string, { readonly id: string; readonly ownerId: string; isPublic: boolean }>()
  readonly logged: string[] = []
  readonly log = pino({ level: 'trace' }, { write: (line: string) => void this.logged.push(line) })
  readonly closing: (() => Promise<unknown>)[] = []
  service: GitHub | undefined
  #database: TestDatabase | undefined
  #url = ''

  static async start(
    options: { readonly webhookSecret?: string | null; readonly limits?: GitHubOptions['limits'] } = {},
  ): Promise<GitHubWorld> {
    const world = new GitHubWorld()
    await world.github.start()
    world.#database = await createTestDatabase({ max: 10 })
    const { webhookSecret = world.github.app.webhookSecret, limits = manyTimes } = options
    const server = await createEditorServer({
      host: '127.0.0.1',
      port: 0,
      log: world.log,
      metrics: new Metrics(),
      clientOf: clientReader(addressList([])),
      open: (port) => {
        world.#url = `http://127.0.0.1:${port}`
        world.service = createGitHub({
          app: {
            ...world.github.app,
            webhookSecret: webhookSecret ?? undefined,
            privateKey: world.github.privateKey.replaceAll('\n', String.raw`\n`),
            url: world.github.url,
            apiUrl: world.github.url,
          },
          pool: world.pool,
          log: world.log,
          editorUrl: world.#url,
          projects: world.access,
          authenticate: world.authenticate,
          lockUser: () => Promise.resolve(true),
          limits,
        })
        return Promise.resolve({
          settings: () => ({
            url: world.#url,
            lsp_url: 'ws://localhost/lsp',
            networks: [],
            language_server: { kind: 'parser', label: 'none' },
            tests: { is_on: false, reason: null },
            wallet: null,
            github: { is_on: true, install_url: world.service?.installUrl ?? null },
            samples: [],
            limits: { files: 1, file_bytes: 1, project_bytes: 1 },
          }),
          projects: { routes: [], guards: {}, cors: (_, next) => next() },
          github: world.service,
        })
      },
    })
    world.closing.push(() => server.close())
    return world
  }

  get pool(): TestDatabase['pool'] {
    if (this.#database === undefined) throw new Error('the database is not ready')
    return this.#database.pool
  }

  get url(): string {
    return this.#url
  }

  readonly authenticate = (token: string): Promise<{ userId: string }> => {
    const testUser = this.users.get(token.replace(/^token-of-/, ''))
    return testUser === undefined
      ? Promise.reject(new ApiError(401, 'UNAUTHORIZED', 'nobody'))
      : Promise.resolve({ userId: testUser.userId })
  }

  readonly access: ProjectAccess = {
    find: (id, userId) => {
      const project = this.projects.get(id)
      return Promise.resolve(
        project !== undefined && (project.isPublic || project.ownerId === userId) ? project : undefined,
      )
    },
  }

  testUser(name: string): TestUser {
    const testUser = this.users.get(name) ?? { name, userId: randomUUID() }
    this.users.set(name, testUser)
    return testUser
  }

  project(owner: TestUser, isPublic = false): string {
    const id = randomUUID()
    this.projects.set(id, { id, ownerId: owner.userId, isPublic })
    return id
  }

  /** @param connections pool size of the feed; with 1, it reads in notification order */
  async feed(connections?: number): Promise<RunningDeployFeed> {
    const pool = connections === undefined ? this.pool : createPool(this.#database?.url ?? '', { max: connections })
    if (pool !== this.pool) this.closing.push(() => pool.end())
    const feed = await createDeployFeed({
      pool,
      databaseUrl: this.#database?.url ?? '',
      projects: this.access,
      authenticate: this.authenticate,
      log: this.log,
    })
    this.closing.push(() => feed.close())
    return feed
  }

  async call(
    who: TestUser | undefined,
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<HttpResponse> {
    const response = await fetch(`${this.#url}/github${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(who === undefined ? {} : { authorization: `Bearer token-of-${who.name}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, never>,
    }
  }

  /** Authorizes as `login` at GitHub and returns. @returns the final redirect URL of the browser */
  async signInAtGitHub(who: TestUser, login: string, projectId?: string): Promise<URL> {
    const started = await this.call(who, 'POST', '/install', {
      body: projectId === undefined ? {} : { project_id: projectId },
    })
    const state = new URL(String(started.body['url'])).searchParams.get('state') ?? ''
    const cookie = started.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const back = await this.call(
      undefined,
      'GET',
      `/callback?${new URLSearchParams({ code: this.github.codeFor(login), state, setup_action: 'install', installation_id: '1' }).toString()}`,
      { headers: { cookie } },
    )
    return new URL(back.headers.get('location') ?? 'about:blank')
  }

  /** A user with a repository and a project connected to it. */
  async connected(
    name: string,
    repository?: FakeRepository,
  ): Promise<{
    readonly who: TestUser
    readonly projectId: string
    readonly repo: FakeRepository
    readonly installationId: number
  }> {
    const who = this.testUser(name)
    const repo =
      repository ??
      this.github.repository(name, `contracts-of-${name}`, {
        files: { 'README.md': 'Read me\n', 'cadence/contracts/Foo.cdc': 'access(all) contract Foo {}\n' },
      })
    const { id } =
      [...this.github.installations.values()].find(({ account }) => account.login === repo.owner) ??
      this.github.install(repo.owner, 'User', [repo])
    this.github.installations.get(id)?.repositories.add(repo.id)
    await this.signInAtGitHub(who, name)
    const projectId = this.project(who)
    const answer = await this.call(who, 'POST', '/connect', {
      body: {
        project_id: projectId,
        installation_id: id,
        owner: repo.owner,
        repo: repo.name,
        branch: 'main',
        network: 'testnet',
      },
    })
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
    return { who, projectId, repo, installationId: id }
  }

  async webhook(event: string, payload: unknown): Promise<HttpResponse> {
    const { headers, body } = this.github.event(event, payload)
    return this.call(undefined, 'POST', '/webhook', { headers, body })
  }

  async stop(): Promise<void> {
    for (const close of this.closing.reverse()) await close()
    await this.#database?.drop()
    await this.github.stop()
  }
}
