import type { Config } from '../config.ts'
import type { SignInClient } from '../wallet/client-routes.ts'
import type { Shared } from '../platform/service.ts'
import type { WalletPlace } from './wallet-settings.ts'

export const editorClientId = 'editor'

/** The page of the editor that a sign-in comes back to. */
const callbackPath = '/developer/callback'

/** Where people reach the editor, without a slash at its end. */
export function editorUrl(config: Pick<Config, 'EDITOR_URL' | 'HTTP_PORT'>, port: number = config.HTTP_PORT): string {
  return (config.EDITOR_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
}

/** @param url `editorUrl` */
export function editorCallback(url: string): string {
  return `${url}${callbackPath}`
}

/**
 * The programs that people sign in to by the wallet: the editor. Without EDITOR_URL it is one on this machine, where the port may be one that was
 * picked. Without TLS, whoever is between would have its sessions.
 */
export function signInClients(
  config: Pick<Config, 'EDITOR_URL' | 'HTTP_PORT'>,
  shared: Pick<Shared, 'editorPort'>,
  { isForTrial }: Pick<WalletPlace, 'isForTrial'>,
): readonly SignInClient[] {
  if (config.EDITOR_URL === undefined && !isForTrial) return []
  const url = editorUrl(config, shared.editorPort)
  if (!isSecure(new URL(url))) return []
  return [{ id: editorClientId, name: 'Cadence editor', redirectUri: editorCallback(url) }]
}

/** As browsers have it: with TLS, or on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' || (protocol === 'http:' && (hostname === 'localhost' || hostname.endsWith('.localhost')))
  )
}
