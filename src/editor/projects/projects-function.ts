import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import { planSave } from './plan-save.ts'
import { notSignedIn, projectError } from './project-error.ts'
import { maxBodyBytes } from './project-quotas.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import { readData, projectId, version as versionSchema, readSave } from './project-requests.ts'
import type { ProjectParts, Endpoint, SessionCall, SaveRequest } from './project-requests.ts'
import { get, list } from './read-projects.ts'
import type { SavedProject } from './read-projects.ts'
import {
  fork,
  createProject,
  lockAccount,
  requireRoomForOne,
  findEarlierSave,
  lockProject,
  updateProject,
} from './write-projects.ts'
import type { NamedSave } from './write-projects.ts'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import type { LockUser } from '../../platform/auth/authenticate.ts'
import { ByteBudget } from '../../platform/limits/byte-budget.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import { endpointCall, endpointFunction } from '../../platform/http/endpoint-function.ts'
import type { RequestContext, RequestState } from '../../platform/http/requests.ts'
import type { Logger } from '../../platform/log.ts'
import { readJson } from '../../platform/http/read-json.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'

const deleteInput = z.strictObject({ id: projectId, version: versionSchema.optional() })

/** Forks of other users stay. */
async function deleteProject({ userId, data, parts: { pool } }: SessionCall): Promise<{ readonly deleted: true }> {
  const { id, version } = readData(deleteInput, data)
  return await withRetriedTransaction(pool, async (client) => {
    const project = await lockProject(client, id, userId)
    if (version !== undefined && project.version !== version) {
      throw projectError(
        'CONFLICT',
        `The project has changed: its version is ${project.version}, not ${version}. Review it before you delete it.`,
        {
          facts: {
            current: { version: project.version, updated_at: project.updated_at, name: project.name },
            yours: { version },
          },
        },
      )
    }
    await query(client, 'delete from projects.projects where id = $1', [id])
    return { deleted: true }
  })
}

async function save({ userId, data, parts }: SessionCall): Promise<SavedProject> {
  const request = readSave(data)
  const named = { userId, saveId: request.saveId, digest: request.digest }
  const { existing } = request
  const { pool, quotas } = parts
  if (existing === undefined) return await saveNew(parts, named, request)
  return await withRetriedTransaction(pool, (client) => updateProject(client, named, { ...request, existing }, quotas))
}

async function saveNew(
  { pool, quotas, lockUser }: ProjectParts,
  named: NamedSave,
  request: SaveRequest,
): Promise<SavedProject> {
  const plan = planSave({ files: [], folders: [] }, request, quotas)
  return await withRetriedTransaction(pool, async (client) => {
    await lockAccount(client, named.userId, lockUser)
    const earlier = await findEarlierSave(client, named)
    if (earlier !== undefined) return earlier
    await requireRoomForOne(client, named.userId, quotas)
    return await createProject(client, named, request, plan)
  })
}

export interface ProjectsFunctionOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly authenticate: Authenticate
  readonly lockUser: LockUser
  readonly allowsOrigin: (origin: string) => boolean
  readonly clientOf: (request: IncomingMessage) => Client
  readonly quotas: ProjectQuotas
  readonly limits?: ProjectRateLimits
  /** Default 128 MB, and at least one largest body. */
  readonly bodyBytesAtOnce?: number
}

export interface ProjectsFunction {
  readonly middleware: Middleware<RequestState>
  prune(): Promise<void>
}

export const projectsFunctionPath = '/functions/v1/projects'

const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'BUSY',
}

/** Anonymous calls only read. */
const maxOpenBodyBytes = 16 * 1024

/** A body needs about four times its bytes until it is stored. */
const usualBodyBytesAtOnce = 128_000_000

/**
 * One POST with `{endpoint, data}`, answered with `{success: true, data}` or `{success: false,
 * error: {code, message, …}}`.
 */
export function createProjectsFunction(options: ProjectsFunctionOptions): ProjectsFunction {
  const { pool, log, limits = projectRateLimits } = options
  const max = maxBodyBytes(options.quotas)
  const counted: Counted = {
    rates: new ProjectRates(limits),
    room: new BodyMemoryLimit(Math.max(options.bodyBytesAtOnce ?? usualBodyBytesAtOnce, max)),
  }
  return {
    middleware: endpointFunction({
      path: projectsFunctionPath,
      failed: 'Projects request failed',
      log,
      codes,
      allowsOrigin: options.allowsOrigin,
      notAllowed: () => projectError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not use the projects.'),
      run: (context) => answer(context, options, counted),
    }),
    prune: async () => {
      await query(pool, `delete from projects.saves where saved_at < now() - interval '1 day'`)
    },
  }
}

interface Counted {
  readonly rates: ProjectRates
  readonly room: BodyMemoryLimit
}

async function answer(
  context: RequestContext,
  { pool, quotas, authenticate, clientOf, lockUser }: ProjectsFunctionOptions,
  counted: Counted,
): Promise<unknown> {
  const network = clientNetwork(clientOf(context.req).address)
  const { rates, room } = counted
  rates.takeClient(network)
  const parts = { pool, quotas, lockUser }
  // Only signed-in users may send a large body.
  const token = bearerToken(context.get('Authorization'))
  const userId = token === undefined ? undefined : (await authenticate(token)).userId
  return await rates.during(userId ?? network, () =>
    room.during(userId ?? network, (take) => call(context, parts, rates, userId, take)),
  )
}

async function call(
  context: RequestContext,
  parts: ProjectParts,
  rates: ProjectRates,
  userId: string | undefined,
  take: (bytes: number) => void,
): Promise<unknown> {
  const body =
    userId === undefined ? await readSmallBody(context) : await readJson(context.req, maxBodyBytes(parts.quotas), take)
  const { endpoint: name, data } = readData(endpointCall, body)
  const endpoint = allEndpoints.get(name)
  if (endpoint === undefined) {
    const text = `Unknown endpoint (field "endpoint"). Endpoints: ${[...allEndpoints.keys()].join(', ')}.`
    throw projectError('NOT_FOUND', text, { field: 'endpoint', facts: { field: 'endpoint' } })
  }
  if (userId !== undefined) rates.takeAccount(endpoint.kind, userId)
  if (endpoint.access === 'open') return await endpoint.run({ userId, data, parts })
  if (userId === undefined) throw notSignedIn()
  return await endpoint.run({ userId, data, parts })
}

async function readSmallBody(context: RequestContext): Promise<unknown> {
  try {
    return await readJson(context.req, maxOpenBodyBytes)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 413) throw error
    context.set('Connection', 'close')
    throw notSignedIn()
  }
}

const allEndpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/projects/list', { access: 'session', kind: 'read', run: list }],
  ['/projects/get', { access: 'open', kind: 'read', run: get }],
  ['/projects/save', { access: 'session', kind: 'write', run: save }],
  ['/projects/delete', { access: 'session', kind: 'write', run: deleteProject }],
  ['/projects/fork', { access: 'session', kind: 'write', run: fork }],
])

/** Per minute and process; 0: no limit. */
interface ProjectRateLimits {
  readonly client: number
  readonly read: number
  /** Editors save some seconds after each change. */
  readonly write: number
  /** Each request may hold a whole project in memory. */
  readonly atOnce: number
}

export const projectRateLimits: ProjectRateLimits = { client: 600, read: 300, write: 120, atOnce: 8 }

class ProjectRates {
  readonly #client: SlidingWindow
  readonly #account: Readonly<Record<'read' | 'write', SlidingWindow>>
  readonly #atOnce: number
  readonly #running = new Map<string, number>()

  constructor({ client, read, write, atOnce }: ProjectRateLimits) {
    this.#client = new SlidingWindow({ max: client })
    this.#account = { read: new SlidingWindow({ max: read }), write: new SlidingWindow({ max: write }) }
    this.#atOnce = atOnce
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  takeClient(network: string): void {
    take(this.#client, network)
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  takeAccount(kind: 'read' | 'write', userId: string): void {
    take(this.#account[kind], userId)
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  async during<Result>(who: string, fn: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(who) ?? 0
    if (this.#atOnce > 0 && running >= this.#atOnce) {
      throw projectError('RATE_LIMITED', `Too many concurrent requests (limit ${this.#atOnce}). Wait for the others.`, {
        retryAfterSeconds: 1,
      })
    }
    this.#running.set(who, running + 1)
    try {
      return await fn()
    } finally {
      const left = (this.#running.get(who) ?? 1) - 1
      if (left === 0) this.#running.delete(who)
      else this.#running.set(who, left)
    }
  }
}

function take(window: SlidingWindow, key: string): void {
  const { isAllowed, retryAfterSeconds } = window.take(key)
  if (!isAllowed)
    throw projectError('RATE_LIMITED', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
}

/** Smaller bodies need no budget, so that they do not wait for large ones. */
const smallBytes = 256_000

/** Per account, which bounds slow senders. */
const maxLarge = 2

export class BodyMemoryLimit {
  readonly #budget: ByteBudget
  readonly #large = new Map<string, number>()

  /** @param bytes beside small bodies */
  constructor(bytes: number) {
    this.#budget = new ByteBudget(bytes)
  }

  /** Releases the bytes that `fn` reports. `take` throws ApiError 503 `busy`. */
  async during<Result>(who: string, fn: (take: (bytes: number) => void) => Promise<Result>): Promise<Result> {
    let [come, isLarge] = [0, false]
    try {
      return await this.#budget.during((take) =>
        fn((bytes) => {
          come += bytes
          if (come <= smallBytes) return
          if (isLarge) {
            take(bytes)
            return
          }
          this.#begin(who)
          isLarge = true
          take(come)
        }),
      )
    } finally {
      if (isLarge) this.#end(who)
    }
  }

  #begin(who: string): void {
    const running = this.#large.get(who) ?? 0
    if (running >= maxLarge) {
      throw new ApiError(
        503,
        'busy',
        `Too many large requests of this account (limit ${maxLarge}). Wait for the others.`,
        {
          details: { retryAfterSeconds: 2 },
        },
      )
    }
    this.#large.set(who, running + 1)
  }

  #end(who: string): void {
    const left = (this.#large.get(who) ?? 1) - 1
    if (left === 0) this.#large.delete(who)
    else this.#large.set(who, left)
  }
}
