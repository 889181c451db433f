/** The services that stand behind the proxy. */
export type UpstreamName = 'chat' | 'ask' | 'mcp'

/** Where a service is, and how long it may take. */
export interface Upstream {
  /** As people are told of it, e.g. `the query service`. */
  readonly title: string
  /** Its origin; paths are passed on as they came. */
  readonly url: URL
  /** How long it may say nothing before it is given up, in milliseconds. */
  readonly patienceMs: number
}
