import { ApiError, asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

/** Sent on `/lsp` to subscribers (`subscribe:deploy`). */
export interface DeployMessage {
  readonly type: 'deploy:push' | 'deploy:started' | 'deploy:completed' | 'deploy:failed'
  readonly data: {
    readonly project_id: string
    readonly sha: string
    readonly branch: string
    readonly network?: string
    readonly environment?: string
    readonly status?: string
    readonly logs_url?: string
    readonly duration_ms?: number
    readonly message?: string
    readonly author?: string
  }
}

export interface DeployFeed {
  /**
   * @param accessToken undefined for anonymous clients, who see public projects only. @param onEnd
   * called once when the token is rejected later. @throws ApiError 401, or 404 if the project does
   * not exist or is not visible
   */
  subscribe(
    projectId: string,
    accessToken: string | undefined,
    send: (message: DeployMessage) => void,
    onEnd?: (reason: ApiError) => void,
  ): Promise<() => void>
}

interface DeploySubscriptionsOptions {
  readonly feed: DeployFeed | undefined
  readonly max: number
  readonly log: Logger
  readonly send: (message: Record<string, unknown> | DeployMessage) => void
}

const [longestId, longestToken] = [100, 8192]

export class DeploySubscriptions {
  readonly #options: DeploySubscriptionsOptions
  /** Undefined while it starts. */
  readonly #ends = new Map<string, (() => void) | undefined>()
  #isClosed = false

  constructor(options: DeploySubscriptionsOptions) {
    this.#options = options
  }

  /** Answered with `subscribed`, or `error` with the `project_id`. */
  async subscribe(message: Readonly<Record<string, unknown>>): Promise<void> {
    const { feed, max, send } = this.#options
    const { project_id: projectId, token } = message
    if (!isId(projectId)) return this.#refuse(undefined, 'bad-message', 'project_id must be the id of a project.')
    if (token !== undefined && token !== null && (typeof token !== 'string' || token.length > longestToken)) {
      return this.#refuse(projectId, 'bad-message', 'token must be an access token, or absent.')
    }
    if (feed === undefined)
      return this.#refuse(projectId, 'no-deployments', 'Deployments are not available: no GitHub App is configured.')
    if (this.#ends.has(projectId)) return send({ type: 'subscribed', project_id: projectId })
    if (this.#ends.size >= max) {
      return this.#refuse(
        projectId,
        'too-many-subscriptions',
        `Too many subscriptions (limit ${max} projects). Send unsubscribe:deploy for another one first.`,
      )
    }
    this.#ends.set(projectId, undefined)
    await this.#begin(feed, projectId, token ?? undefined)
  }

  /** Answered with `unsubscribed`, even without a subscription. */
  unsubscribe(message: Readonly<Record<string, unknown>>): void {
    const { project_id: projectId } = message
    if (!isId(projectId)) return this.#refuse(undefined, 'bad-message', 'project_id must be the id of a project.')
    this.#ends.get(projectId)?.()
    this.#ends.delete(projectId)
    this.#options.send({ type: 'unsubscribed', project_id: projectId })
  }

  close(): void {
    this.#isClosed = true
    for (const end of this.#ends.values()) end?.()
    this.#ends.clear()
  }

  async #begin(feed: DeployFeed, projectId: string, token: string | undefined): Promise<void> {
    const { send, log } = this.#options
    let isWanted = true
    // Unsubscribed while it starts.
    const early = (): void => {
      isWanted = false
    }
    this.#ends.set(projectId, early)
    try {
      // The response goes before messages.
      const held: DeployMessage[] = []
      let isAnswered = false
      const end = await feed.subscribe(
        projectId,
        token,
        (event) => {
          if (!isWanted) return
          if (isAnswered) send(event)
          else held.push(event)
        },
        ({ code, message }) => {
          if (!isWanted) return
          isWanted = false
          this.#ends.delete(projectId)
          this.#refuse(projectId, code, message)
        },
      )
      if (!isWanted || this.#isClosed) return end()
      this.#ends.set(projectId, () => {
        isWanted = false
        end()
      })
      send({ type: 'subscribed', project_id: projectId })
      isAnswered = true
      for (const event of held) send(event)
    } catch (error) {
      if (this.#ends.get(projectId) === early) this.#ends.delete(projectId)
      if (!isWanted) return
      if (error instanceof ApiError) return this.#refuse(projectId, error.code, error.message)
      log.error({ err: asError(error) }, 'A deployment subscription failed')
      this.#refuse(projectId, 'internal-error', 'The subscription failed because of an internal error. Try again.')
    }
  }

  #refuse(projectId: string | undefined, code: string, message: string): void {
    this.#options.send({ type: 'error', code, message, ...(projectId === undefined ? {} : { project_id: projectId }) })
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestId
}
