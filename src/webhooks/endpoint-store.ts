import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { ApiError } from '../platform/errors.ts'
import { query, withTransaction } from '../platform/db/pool.ts'
import { secretText } from './signature.ts'
import type { TargetPolicy } from '../platform/outbound/target-policy.ts'
import { scheduleNow, lockForRemoval } from './leases.ts'
import { webhookLimits } from './webhook-limits.ts'
import type { WebhookOwner } from './webhook-limits.ts'

export interface WebhookEndpoint {
  readonly id: number
  readonly keyId: number
  readonly url: string
  readonly description: string
  /** Consecutive failures. */
  readonly failures: number
  readonly pausedAt: Date | null
  readonly pausedReason: 'owner' | 'failures' | 'gone' | null
  readonly previousSecretUntil: Date | null
  readonly createdAt: Date
}

export interface NewEndpoint {
  readonly url: string
  readonly description: string
  /** 24 to 64 bytes; undefined: generated. */
  readonly secret?: Buffer | undefined
}

export interface CreatedEndpoint {
  readonly endpoint: WebhookEndpoint
  /** Shown to the owner once. */
  readonly secret: string
}

export interface EndpointChange {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly isPaused?: boolean | undefined
}

export const endpointColumns = `id::float8 as id, key_id::float8 as "keyId", url, description, failures, paused_at
  as "pausedAt", paused_reason as "pausedReason",
  case when previous_secret_until > now() then previous_secret_until end as "previousSecretUntil", created_at as
    "createdAt"`

const subscriptionsOf = `select s.id::float8 as id from app.webhook_subscriptions s join app.webhook_endpoints e on
  e.id = s.endpoint_id
  where s.endpoint_id = $1 and e.key_id = $2`

const wakeDispatcher = "select pg_notify('flowfarm_webhook_changes', '')"

/** Endpoints of other keys are treated as nonexistent. */
export class EndpointStore {
  readonly #pool: pg.Pool
  readonly #policy: TargetPolicy

  constructor(pool: pg.Pool, policy: TargetPolicy) {
    this.#pool = pool
    this.#policy = policy
  }

  /** Newest first. */
  async list(keyId: number): Promise<readonly WebhookEndpoint[]> {
    const { rows } = await query<WebhookEndpoint>(
      this.#pool,
      `select ${endpointColumns} from app.webhook_endpoints where key_id = $1 order by id desc`,
      [keyId],
    )
    return rows
  }

  /** @throws ApiError 404 `unknown-endpoint` */
  async find(owner: WebhookOwner, id: number): Promise<WebhookEndpoint> {
    const { rows } = await query<WebhookEndpoint>(
      this.#pool,
      `select ${endpointColumns} from app.webhook_endpoints where id = $1 and key_id = $2`,
      [id, owner.keyId],
    )
    return known(rows[0], id)
  }

  /** @throws ApiError 400 for a disallowed URL, 403 `webhook-limit` */
  async create(owner: WebhookOwner, input: NewEndpoint): Promise<CreatedEndpoint> {
    return withTransaction(this.#pool, (client) => this.createIn(client, owner, input))
  }

  async createIn(
    client: pg.ClientBase,
    owner: WebhookOwner,
    { url, description, secret = randomBytes(32) }: NewEndpoint,
  ): Promise<CreatedEndpoint> {
    const target = this.#checkedUrl(url)
    await query(client, 'select 1 from app.developer_keys where id = $1 for no key update', [owner.keyId])
    const max = webhookLimits[owner.tier].endpoints
    const {
      rows: [counted],
    } = await query<{ count: number }>(
      client,
      'select count(*)::int as count from app.webhook_endpoints where key_id = $1',
      [owner.keyId],
    )
    if (max !== null && (counted?.count ?? 0) >= max) {
      throw new ApiError(403, 'webhook-limit', `Endpoint limit reached: tier ${owner.tier} allows ${max}.`)
    }
    const { rows } = await query<WebhookEndpoint>(
      client,
      'insert into app.webhook_endpoints (key_id, url, description, secret) values ($1, $2, $3, $4) ' +
        `returning ${endpointColumns}`,
      [owner.keyId, target, description, secret],
    )
    return { endpoint: known(rows[0], 0), secret: secretText(secret) }
  }

  /** Resuming resets the failure count and sends pending deliveries. @throws ApiError 400, 404 */
  async change(
    owner: WebhookOwner,
    id: number,
    { url, description, isPaused }: EndpointChange,
  ): Promise<WebhookEndpoint> {
    const target = url === undefined ? undefined : this.#checkedUrl(url)
    return withTransaction(this.#pool, async (client) => {
      // Before the endpoint, as when recording results: same lock order.
      if (isPaused === false) {
        const { rows: own } = await query<{ id: number }>(client, subscriptionsOf, [id, owner.keyId])
        await scheduleNow(
          client,
          own.map((one) => one.id),
        )
      }
      const { rows } = await query<WebhookEndpoint>(
        client,
        `update app.webhook_endpoints set url = coalesce($3, url), description = coalesce($4, description),
           failures = case when $5 = false then 0 else failures end,
           paused_at = case when $5 then coalesce(paused_at, now()) when $5 = false then null else paused_at end,
           paused_reason = case when $5 then coalesce(paused_reason, 'owner') when $5 = false then null else
             paused_reason end
         where id = $1 and key_id = $2 returning ${endpointColumns}`,
        [id, owner.keyId, target ?? null, description ?? null, isPaused ?? null],
      )
      const endpoint = known(rows[0], id)
      if (isPaused === false) await query(client, wakeDispatcher)
      return endpoint
    })
  }

  /** Also removes subscriptions and deliveries. @throws ApiError 404 */
  async remove(owner: WebhookOwner, id: number): Promise<WebhookEndpoint> {
    return withTransaction(this.#pool, async (client) => {
      await lockForRemoval(client, subscriptionsOf, [id, owner.keyId])
      const { rows } = await query<WebhookEndpoint>(
        client,
        `delete from app.webhook_endpoints where id = $1 and key_id = $2 returning ${endpointColumns}`,
        [id, owner.keyId],
      )
      return known(rows[0], id)
    })
  }

  /**
   * The previous secret keeps signing for `overlapHours`.
   *
   * @throws ApiError 404
   */
  async rotateSecret(owner: WebhookOwner, id: number, overlapHours: number): Promise<CreatedEndpoint> {
    const secret = randomBytes(32)
    const { rows } = await query<WebhookEndpoint>(
      this.#pool,
      `update app.webhook_endpoints set secret = $3, previous_secret = secret, previous_secret_until = now() +
        make_interval(hours => $4)
       where id = $1 and key_id = $2 returning ${endpointColumns}`,
      [id, owner.keyId, secret, overlapHours],
    )
    return { endpoint: known(rows[0], id), secret: secretText(secret) }
  }

  #checkedUrl(text: string): string {
    const url = URL.canParse(text) ? new URL(text) : undefined
    const refusal = url === undefined ? 'it is not a URL' : this.#policy.refusalOfUrl(url)
    if (url === undefined || refusal !== undefined)
      throw new ApiError(400, 'invalid-field', `Field "url" is not allowed: ${refusal}.`, { field: 'url' })
    url.hash = ''
    return url.href
  }
}

function known(endpoint: WebhookEndpoint | undefined, id: number): WebhookEndpoint {
  if (endpoint === undefined) throw new ApiError(404, 'unknown-endpoint', `Endpoint ${id} does not exist.`)
  return endpoint
}
