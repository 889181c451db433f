import { AsyncLocalStorage } from 'node:async_hooks'

/** Names the network of the client for which a service of ours calls an MCP server of ours. */
export const clientHeader = 'x-flowfarm-client'

/** The network of the client whose question is being answered: one connection to an MCP server is used for all clients. */
export const servedClient = new AsyncLocalStorage<string>()
