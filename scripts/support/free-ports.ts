import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** Different ports of an address that were free a moment ago, for programs that do not say which one they took where they are given none. */
export async function freePorts(count: number, address: string): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, address))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
