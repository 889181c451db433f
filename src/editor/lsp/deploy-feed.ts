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
   * Sends what happens from now on, until the returned function is called.
   * @param accessToken of `subscribe:deploy`; undefined for somebody who has not signed in, who sees public projects alone
   * @throws ApiError 401, or 404 where there is no such project or it is not for them
   */
  subscribe(projectId: string, accessToken: string | undefined, send: (message: DeployMessage) => void): Promise<() => void>
}
