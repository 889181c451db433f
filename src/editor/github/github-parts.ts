import type { IncomingMessage } from 'node:http'
import type { Pool } from 'pg'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import type { Client } from '../../platform/client-address.ts'
import type { Logger } from '../../platform/log.ts'
import type { GitHubApp } from './api/github-options.ts'
import type { GitHubClient } from './api/github-client.ts'
import type { ConnectionStore } from './connections/connection-store.ts'
import type { EnvironmentStore } from './connections/environment-store.ts'
import type { DeploymentStore } from './deploys/deployment-store.ts'
import type { InstallFlow } from './installs/install-flow.ts'
import type { InstallationStore } from './installs/installation-store.ts'
import type { RequestLimits } from './request-limits.ts'
import type { RepositoryAccess } from './repository/repository-access.ts'
import type { DeliveryStore } from './webhooks/delivery-store.ts'

/** What the routes of repositories work with. */
export interface GitHubParts {
  readonly app: GitHubApp
  readonly pool: Pool
  readonly log: Logger
  /** EDITOR_URL, without a slash at its end. */
  readonly editorUrl: string
  readonly authenticate: Authenticate
  readonly clientOf: (request: IncomingMessage) => Client
  readonly limits: RequestLimits
  readonly github: GitHubClient
  readonly flow: InstallFlow
  readonly access: RepositoryAccess
  readonly installations: InstallationStore
  readonly connections: ConnectionStore
  readonly environments: EnvironmentStore
  readonly deployments: DeploymentStore
  readonly deliveries: DeliveryStore
}
