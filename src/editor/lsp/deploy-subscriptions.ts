import { ApiError, asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

/** What happened to a project's deployments, as `/lsp` sends it to those who have asked by `subscribe:deploy`. */
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
   * Sends deployment events until the returned function is called or the access token becomes invalid.
   * @param accessToken undefined for anonymous clients, who see public projects only
   * @param onEnd called once with the reason when the token is refused later
   * @throws ApiError 401, or 404 if there is no such project or it is not visible
   */
  subscribe(
    projectId: string,
    accessToken: string | undefined,
    send: (message: DeployMessage) => void,
    onEnd?: (reason: ApiError) => void,
  ): Promise<() => void>
}

interface DeploySubscriptionsOptions {
  /** Undefined where this server has no repositories. */
  readonly feed: DeployFeed | undefined
  /** Projects at the same time. */
  readonly max: number
  readonly log: Logger
  readonly send: (message: Record<string, unknown> | DeployMessage) => void
}

/** Longest id of a project, and longest access token. */
const [longestId, longestToken] = [100, 8192]

/** The projects of whose deployments one connection is told. */
export class DeploySubscriptions {
  readonly #options: DeploySubscriptionsOptions
  /** How to end each; undefined while it begins. */
  readonly #ends = new Map<string, (() => void) | undefined>()
  #isClosed = false

  constructor(options: DeploySubscriptionsOptions) {
    this.#options = options
  }

  /** `subscribe:deploy`: answered by `subscribed`, or by `error` with the `project_id` that was meant. */
  async subscribe(message: Readonly<Record<string, unknown>>): Promise<void> {
    const { feed, max, send } = this.#options
    const { project_id: projectId, token } = message
    if (!isId(projectId)) return this.#refuse(undefined, 'bad-message', 'project_id: give the id of a project.')
    if (token !== undefined && token !== null && (typeof token !== 'string' || token.length > longestToken)) {
      return this.#refuse(projectId, 'bad-message', 'token: give an access token as text, or leave it out.')
    }
    if (feed === undefined)
      return this.#refuse(projectId, 'no-deployments', 'This server knows of no deployments: it has no GitHub App.')
    if (this.#ends.has(projectId)) return send({ type: 'subscribed', project_id: projectId })
    if (this.#ends.size >= max) {
      return this.#refuse(
        projectId,
        'too-many-subscriptions',
        `A connection hears of at most ${max} projects; send unsubscribe:deploy for another one first.`,
      )
    }
    this.#ends.set(projectId, undefined)
    await this.#begin(feed, projectId, token ?? undefined)
  }

  /** `unsubscribe:deploy`: answered by `unsubscribed`, whether there was a subscription or not. */
  unsubscribe(message: Readonly<Record<string, unknown>>): void {
    const { project_id: projectId } = message
    if (!isId(projectId)) return this.#refuse(undefined, 'bad-message', 'project_id: give the id of a project.')
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
    // Taken back while it begins: what is heard until it has ended is not passed on.
    const early = (): void => {
      isWanted = false
    }
    this.#ends.set(projectId, early)
    try {
      // The answer goes before what happens.
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
      log.error({ err: asError(error) }, 'a subscription to deployments failed')
      this.#refuse(projectId, 'internal-error', 'The subscription failed by a fault of the server; try again.')
    }
  }

  #refuse(projectId: string | undefined, code: string, message: string): void {
    this.#options.send({ type: 'error', code, message, ...(projectId === undefined ? {} : { project_id: projectId }) })
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestId
}
