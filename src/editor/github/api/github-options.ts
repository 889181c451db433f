/** The GitHub App by which projects reach repositories, as its operator has registered it. */
export interface GitHubApp {
  /** GITHUB_APP_ID. */
  readonly appId: string
  /** GITHUB_APP_PRIVATE_KEY, PEM; line breaks may be written `\n`. */
  readonly privateKey: string
  /** GITHUB_APP_SLUG. */
  readonly slug: string
  /** GITHUB_APP_CLIENT_ID. */
  readonly clientId: string
  /** GITHUB_APP_CLIENT_SECRET. */
  readonly clientSecret: string
  /** GITHUB_APP_WEBHOOK_SECRET. Undefined: neither webhooks nor reports of workflows are taken. */
  readonly webhookSecret: string | undefined
  /** GITHUB_URL. */
  readonly url: string
  /** GITHUB_API_URL. */
  readonly apiUrl: string
}
