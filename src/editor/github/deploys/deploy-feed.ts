import type { Pool } from 'pg'
import type { Authenticate } from '../../../auth/authenticate.ts'
import { ApiError, asError } from '../../../base/errors.ts'
import type { Logger } from '../../../base/log.ts'
import { listen } from '../../../db/listen.ts'
import type { Listener } from '../../../db/listen.ts'
import type { ProjectAccess } from '../../../projects/project-access.ts'
import type { DeployFeed, DeployMessage } from '../../lsp/deploy-feed.ts'
import { deployChannel, deployMessage } from './deploy-messages.ts'
import { DeploymentStore } from './deployment-store.ts'

export interface DeployFeedOptions {
  readonly pool: Pool
  /** Database that deployments are told in. */
  readonly databaseUrl: string
  readonly projects: ProjectAccess
  readonly authenticate: Authenticate
  readonly log: Logger
}

export interface RunningDeployFeed extends DeployFeed {
  close(): Promise<void>
}

interface Subscriber {
  readonly userId: string | undefined
  readonly send: (message: DeployMessage) => void
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Tells people of one process what happens to deployments of projects that they may see, whichever process heard of it. Whether they may is asked
 * when they subscribe and again before each message: a project that was made private is told to strangers no more. After a loss of the database
 * the state of what changed meanwhile is told, possibly a second time; pushes are not made up for.
 * @returns when notifications are heard
 */
export async function createDeployFeed({ pool, databaseUrl, projects, authenticate, log }: DeployFeedOptions): Promise<RunningDeployFeed> {
  const subscribers = new Map<string, Set<Subscriber>>()
  /** The last message of each project that is on its way: they keep their order. */
  const telling = new Map<string, Promise<void>>()
  const deployments = new DeploymentStore(pool)
  const stopping = new AbortController()
  let heardAt = new Date()

  const tell = async (message: DeployMessage): Promise<void> => {
    const { project_id: projectId } = message.data
    const maySee = new Map<string | undefined, Promise<boolean>>()
    for (const subscriber of subscribers.get(projectId) ?? []) {
      const { userId } = subscriber
      if (!maySee.has(userId)) maySee.set(userId, projects.find(projectId, userId).then((project) => project !== undefined))
      const may = await maySee.get(userId)
      // Who has left meanwhile is told nothing.
      if (may === true && subscribers.get(projectId)?.has(subscriber) === true) {
        try {
          subscriber.send(message)
        } catch (error) {
          log.warn({ err: asError(error) }, 'a deployment could not be told')
        }
      }
    }
  }
  const enqueue = (message: DeployMessage): void => {
    const { project_id: projectId } = message.data
    if (!subscribers.has(projectId)) return
    const told = (telling.get(projectId) ?? Promise.resolve()).then(() => tell(message)).catch((error: unknown) => log.warn({ err: asError(error) }, 'a deployment could not be told'))
    telling.set(projectId, told)
    void told.then(() => {
      if (telling.get(projectId) === told) telling.delete(projectId)
    })
  }
  const catchUp = async (): Promise<void> => {
    const since = new Date(heardAt.getTime() - 60_000)
    for (const changed of await deployments.changedSince([...subscribers.keys()], since)) enqueue(deployMessage(changed.projectId, changed))
  }
  const listener: Listener = await listen(databaseUrl, [deployChannel], (_, payload) => {
    heardAt = new Date()
    enqueue(JSON.parse(payload) as DeployMessage)
  }, {
    signal: stopping.signal, applicationName: 'flowfarm deploy feed',
    onReconnect: () => {
      catchUp().catch((error: unknown) => log.warn({ err: asError(error) }, 'the feed of deployments could not look for what it missed'))
    },
    onTrouble: (error) => log.warn({ err: error }, 'the feed of deployments lost the database; connecting again'),
  })

  return {
    subscribe: async (projectId, accessToken, send) => {
      const userId = accessToken === undefined ? undefined : (await authenticate(accessToken)).userId
      const project = uuid.test(projectId) ? await projects.find(projectId, userId) : undefined
      if (project === undefined) throw new ApiError(404, 'no-project', 'There is no such project.')
      const subscriber: Subscriber = { userId, send }
      const all = subscribers.get(project.id) ?? new Set()
      subscribers.set(project.id, all.add(subscriber))
      return () => {
        all.delete(subscriber)
        if (all.size === 0 && subscribers.get(project.id) === all) subscribers.delete(project.id)
      }
    },
    close: async () => {
      stopping.abort()
      subscribers.clear()
      await listener.ended
      await Promise.all(telling.values())
    },
  }
}
