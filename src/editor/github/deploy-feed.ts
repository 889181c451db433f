import type { Pool } from 'pg'
import { ConnectionStore } from './stores/connection-store.ts'
import { deployChannel, deployMessage, DeploymentStore } from './stores/deployment-store.ts'
import type { DeployFeed, DeployMessage } from '../lsp/deploy-subscriptions.ts'
import type { ProjectAccess } from '../projects/read-projects.ts'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import { listen } from '../../platform/db/listen.ts'
import type { Listener } from '../../platform/db/listen.ts'
import { ApiError, asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

interface DeployFeedOptions {
  readonly pool: Pool
  readonly databaseUrl: string
  readonly projects: ProjectAccess
  readonly authenticate: Authenticate
  readonly log: Logger
}

export interface RunningDeployFeed extends DeployFeed {
  close(): Promise<void>
}

interface Subscriber {
  readonly accessToken: string | undefined
  readonly send: (message: DeployMessage) => void
  readonly onEnd: ((reason: ApiError) => void) | undefined
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Sends subscribers of this process the deployments of their projects, whichever process received
 * them. Access is checked on subscription and before each message. After a loss of the database,
 * missed deployments are sent, possibly twice; pushes are not.
 */
export async function createDeployFeed({
  pool,
  databaseUrl,
  projects,
  authenticate,
  log,
}: DeployFeedOptions): Promise<RunningDeployFeed> {
  const subscribers = new Map<string, Set<Subscriber>>()
  /** The last pending message of each project, for ordering. */
  const notifying = new Map<string, Promise<void>>()
  const deployments = new DeploymentStore(pool)
  const connections = new ConnectionStore(pool)
  const stopping = new AbortController()
  let lastEventAt = new Date()

  /** @throws ApiError 401 if the session has ended */
  const checkAccess = async (projectId: string, accessToken: string | undefined): Promise<boolean> => {
    const userId = accessToken === undefined ? undefined : (await authenticate(accessToken)).userId
    return (await projects.find(projectId, userId)) !== undefined
  }
  const remove = (projectId: string, subscriber: Subscriber): boolean => {
    const all = subscribers.get(projectId)
    const wasThere = all?.delete(subscriber) === true
    if (all?.size === 0) subscribers.delete(projectId)
    return wasThere
  }
  /** Access cannot be confirmed: the client must subscribe again. */
  const endBy = (projectId: string, subscriber: Subscriber, error: unknown): void => {
    if (!remove(projectId, subscriber)) return
    if (!(error instanceof ApiError))
      log.warn({ err: asError(error) }, 'Could not check access to a deployment; ending the subscription')
    subscriber.onEnd?.(
      error instanceof ApiError ? error : new ApiError(503, 'unavailable', 'Could not check access. Subscribe again.'),
    )
  }
  const notify = async (message: DeployMessage): Promise<void> => {
    const { project_id: projectId } = message.data
    const connection = await connections.ofProject(projectId)
    if (connection === undefined || connection.offReason !== null) return
    const maySee = new Map<string | undefined, Promise<boolean>>()
    for (const subscriber of subscribers.get(projectId) ?? []) {
      const { accessToken } = subscriber
      if (!maySee.has(accessToken)) maySee.set(accessToken, checkAccess(projectId, accessToken))
      let isAllowed: boolean | undefined
      try {
        isAllowed = await maySee.get(accessToken)
      } catch (error) {
        endBy(projectId, subscriber, error)
      }
      if (isAllowed === true && subscribers.get(projectId)?.has(subscriber) === true) {
        try {
          subscriber.send(message)
        } catch (error) {
          log.warn({ err: asError(error) }, 'Could not send a deployment message')
        }
      }
    }
  }
  const enqueue = (message: DeployMessage): void => {
    const { project_id: projectId } = message.data
    if (!subscribers.has(projectId)) return
    const notified = (notifying.get(projectId) ?? Promise.resolve())
      .then(() => notify(message))
      .catch((error: unknown) => log.warn({ err: asError(error) }, 'Could not send a deployment message'))
    notifying.set(projectId, notified)
    void notified.then(() => {
      if (notifying.get(projectId) === notified) notifying.delete(projectId)
    })
  }
  const catchUp = async (): Promise<void> => {
    const since = new Date(lastEventAt.getTime() - 60_000)
    for (const changed of await deployments.changedSince([...subscribers.keys()], since))
      enqueue(deployMessage(changed.projectId, changed))
  }
  const listener: Listener = await listen(
    databaseUrl,
    [deployChannel],
    (_, payload) => {
      lastEventAt = new Date()
      enqueue(JSON.parse(payload) as DeployMessage)
    },
    {
      signal: stopping.signal,
      applicationName: 'flowfarm deploy feed',
      onReconnect: () => {
        catchUp().catch((error: unknown) =>
          log.warn({ err: asError(error) }, 'The deployment feed could not read missed deployments'),
        )
      },
      onError: (error) => log.warn({ err: error }, 'The deployment feed lost the database; reconnecting'),
    },
  )

  return {
    subscribe: async (projectId, accessToken, send, onEnd) => {
      const userId = accessToken === undefined ? undefined : (await authenticate(accessToken)).userId
      const project = uuid.test(projectId) ? await projects.find(projectId, userId) : undefined
      if (project === undefined) throw new ApiError(404, 'no-project', 'The project does not exist.')
      const subscriber: Subscriber = { accessToken, send, onEnd }
      const all = subscribers.get(project.id) ?? new Set()
      subscribers.set(project.id, all.add(subscriber))
      return () => void remove(project.id, subscriber)
    },
    close: async () => {
      stopping.abort()
      subscribers.clear()
      await listener.ended
      await Promise.all(notifying.values())
    },
  }
}
