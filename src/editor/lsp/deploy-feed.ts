import type { ApiError } from '../../platform/errors.ts'

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
   * Sends what happens from now on, until the returned function is called or the access token is not valid any more
   * (expired, signed out, revoked, or of a deleted user).
   * @param accessToken of `subscribe:deploy`; undefined for somebody who has not signed in, who sees public projects alone
   * @param onEnd called once with the reason when the token is refused later; nothing is sent after it
   * @throws ApiError 401, or 404 where there is no such project or it is not for them
   */
  subscribe(
    projectId: string,
    accessToken: string | undefined,
    send: (message: DeployMessage) => void,
    onEnd?: (reason: ApiError) => void,
  ): Promise<() => void>
}
