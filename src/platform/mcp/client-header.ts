import { AsyncLocalStorage } from 'node:async_hooks'

/** The network of the client for which a service of ours calls an MCP server of ours. */
export const clientHeader = 'x-flowfarm-client'

/** The network of the client being served: one connection to an MCP server serves all clients. */
export const servedClient = new AsyncLocalStorage<string>()
